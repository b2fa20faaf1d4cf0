/** Texts of the camera. */
export const cameraTexts = {
  title: 'Take a picture',
  view: 'Picture of the camera',
  take: 'Take the picture',
  failed: 'The camera cannot be used. Allow it for this page in the browser, or attach a file.',
  fileName: 'picture.jpg',
};

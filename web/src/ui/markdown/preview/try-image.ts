/** Draws a picture once inside the frame: if it takes forever, only the frame hangs. */
export async function tryImage(svg: string): Promise<string> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(1000, 1000);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context?.drawImage(image, 0, 0, 1000, 1000);
  context?.getImageData(0, 0, 1, 1);
  return svg;
}

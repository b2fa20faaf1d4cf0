/** Texts of titles that a model suggests. */
export const suggestTexts = {
  suggest: 'Suggest a title',
  request:
    'Write a title of at most six words for our conversation, in its language. Write the title only.',
};

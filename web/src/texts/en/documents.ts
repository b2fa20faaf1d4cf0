import { formatNumber } from './format-number.ts';

/** Texts of attached documents. */
export const documentTexts = {
  unsupported: (name: string) => `${name} is neither an image, a PDF nor text.`,
  tooLarge: (name: string, limit: string) => `${name} is larger than ${limit}.`,
  protectedPdf: (name: string) =>
    `${name} needs a password. Save it without one and attach it again.`,
  damagedPdf: (name: string) => `${name} is not a readable PDF.`,
  withoutText: (name: string) =>
    `${name} contains no text, only pictures. Attach images of its pages to a model with vision.`,
  page: (number: number) => `page ${number}`,
  lines: (first: number, last: number) => `lines ${first} to ${last}`,
  source: (name: string, place: string) => `${name}, ${place}`,
  noEmbeddingModel:
    'The attached files do not fit into the context, and the library has no embedding model to choose passages with. Download one, or attach less.',
  chooseFor: 'The main statements of the text',
  passages: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
  passagesOf: (names: string) => `Passages of ${names}`,
  characters: (count: number) => `${formatNumber(count)} characters`,
  sources: 'Sources',
  show: (name: string) => `Show ${name}`,
};

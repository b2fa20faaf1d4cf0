const segmenters = {
  sentence: new Intl.Segmenter(undefined, { granularity: 'sentence' }),
  word: new Intl.Segmenter(undefined, { granularity: 'word' }),
  grapheme: new Intl.Segmenter(undefined, { granularity: 'grapheme' }),
};

/**
 * Splits a text into parts of limited length, between sentences if possible, or else between words, or else anywhere.
 * Text-to-speech servers accept about 4,000 characters, and the audio begins sooner if the first part is short.
 */
export function splitText(
  text: string,
  maxLength: number,
  unit: keyof typeof segmenters = 'sentence',
): readonly string[] {
  if (text.length <= maxLength) return [text];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of segmenters[unit].segment(text)) {
    if (part.length + segment.length > maxLength) {
      parts.push(part);
      part = '';
    }
    if (segment.length <= maxLength) part += segment;
    else parts.push(...splitLong(segment, maxLength, unit));
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '');
}

function splitLong(text: string, maxLength: number, unit: keyof typeof segmenters) {
  if (unit === 'sentence') return splitText(text, maxLength, 'word');
  // A single grapheme may be too long, too, with many combining characters.
  return unit === 'word' ? splitText(text, maxLength, 'grapheme') : [text.slice(0, maxLength)];
}

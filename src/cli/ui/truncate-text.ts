import stringWidth from 'string-width';

/** Created on first use: it loads tables, which takes longer than printing a list. */
let segmenter: Intl.Segmenter | undefined;

/** Shortens a line to a width in columns: `A long text` → `A long…`. Cuts within a word only if it is longer than half of the width. */
export function truncateText(text: string, maxWidth: number): string {
  if (stringWidth(text) <= maxWidth) return text;
  segmenter ??= new Intl.Segmenter();
  let kept = '';
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += stringWidth(segment);
    if (width > maxWidth) break;
    kept += segment;
  }
  const isWithinWord = /^\S/u.test(text.slice(kept.length));
  const wordStart = kept.search(/\S+$/u);
  const isShortWord = wordStart > 0 && kept.length - wordStart <= maxWidth / 2;
  return `${(isWithinWord && isShortWord ? kept.slice(0, wordStart) : kept).trimEnd()}…`;
}

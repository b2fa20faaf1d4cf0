import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();
const codeFence = /^\s*(?:```|~~~)/;

/**
 * Wraps streamed text at word boundaries for a terminal. Text appears at once: a word that turns out not to fit is
 * erased and moved to the next line. Code blocks (Markdown fences) and words longer than a line are left to the
 * terminal.
 *
 * @param getColumns Current width of the terminal.
 * @returns A function that writes the next piece of text.
 */
export function createWordWrap(
  write: (text: string) => void,
  getColumns: () => number,
): (text: string) => void {
  /** Column of the cursor. */
  let column = 0;
  /** The current word, which may still grow. */
  let word = '';
  let wordWidth = 0;
  /** Start of the line in the source, to detect fences. */
  let line = '';
  let isCode = false;

  const endWord = (): void => {
    word = '';
    wordWidth = 0;
  };
  const startLine = (): void => {
    column = 0;
    endWord();
  };

  function put(segment: string): string {
    // The last column stays free: when it is filled, some terminals wrap at once and others later.
    const maxWidth = getColumns() - 1;
    if (segment === '\n' || segment === '\r\n') {
      if (codeFence.test(line)) isCode = !isCode;
      line = '';
      startLine();
      return segment;
    }
    line += segment;
    const width = segment === '\t' ? 8 - (column % 8) : stringWidth(segment);
    if (/^\s$/u.test(segment)) {
      endWord();
      if (!isCode && column + width > maxWidth) return '';
      column += width;
      return segment;
    }
    // Text in wide characters has no spaces, so it may break between any two characters.
    if (width > 1) endWord();
    const fits = isCode || column + width <= maxWidth;
    const isLongWord = wordWidth + width > maxWidth;
    let output = segment;
    if (!fits && !isLongWord) {
      const erase = wordWidth === 0 ? '' : `\u001b[${wordWidth}D\u001b[K`;
      output = `${erase}\n${word}${segment}`;
      column = wordWidth;
    }
    word += segment;
    wordWidth += width;
    column += width;
    if (isLongWord && !isCode) column %= maxWidth + 1;
    return output;
  }

  return (text) => {
    let output = '';
    for (const { segment } of segmenter.segment(text)) output += put(segment);
    if (output !== '') write(output);
  };
}

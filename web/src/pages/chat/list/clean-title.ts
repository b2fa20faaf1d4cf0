const maxLength = 80;

/**
 * Extracts a title from a model's answer: its first line, without Markdown, quotation marks, control characters and the
 * final period.
 */
export function cleanTitle(answer: string): string {
  const [line = ''] = answer.trim().split('\n');
  return line
    .replace(/^(title|titel|titre)\s*:\s*/i, '')
    .replaceAll(/[*_#`"“”„«»\p{Cc}]/gu, '')
    .trim()
    .replace(/\.$/, '')
    .slice(0, maxLength);
}

const maxLength = 80;

/** The title in an answer of a model: its first line, without Markdown, quotation marks and the final dot. */
export function cleanTitle(answer: string): string {
  const [line = ''] = answer.trim().split('\n');
  return line
    .replace(/^(title|titel|titre)\s*:\s*/i, '')
    .replaceAll(/[*_#`"“”„«»]/g, '')
    .trim()
    .replace(/\.$/, '')
    .slice(0, maxLength);
}

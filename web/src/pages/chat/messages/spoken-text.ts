const maxLength = 50_000;

/** Converts Markdown to text for speech, without marks, URLs and code. */
export function spokenText(markdown: string): string {
  return markdown
    .slice(0, maxLength)
    .replaceAll(/^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm, ' ')
    .replaceAll(/!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}\)/g, '$1')
    .replaceAll(/^ {0,8}(?:#{1,6}|>|[-*+]) /gm, '')
    .replaceAll(/^[|\s:-]+$/gm, '')
    .replaceAll(/[*`|]|__|~~/g, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

/** Reduces paths in a process's output to their file names. */
export function withoutFolders(text: string): string {
  const path = /(?<=^|[\s'"(])(?:[A-Za-z]:)?(?:[\\/][^\\/'":]+)*[\\/]([^\\/'":\s]+)/gu;
  return text.replaceAll(path, '$1');
}

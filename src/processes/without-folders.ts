/** What a process said, with the names of files but not where they are. */
export function withoutFolders(text: string): string {
  const path = /(?<=^|[\s'"(])(?:[A-Za-z]:)?(?:[\\/][^\\/'":]+)*[\\/]([^\\/'":\s]+)/gu;
  return text.replaceAll(path, '$1');
}

/** Removes the folders from the paths in the output of a process, and keeps the file names. */
export function withoutFolders(text: string): string {
  const path = /(?<=^|[\s'"(])(?:[A-Za-z]:)?(?:[\\/][^\\/'":]+)*[\\/]([^\\/'":\s]+)/gu;
  return text.replaceAll(path, '$1');
}

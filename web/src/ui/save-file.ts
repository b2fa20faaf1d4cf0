/** Downloads a file or text to the user's computer. */
export function saveFile(name: string, content: Blob | string, type = 'text/plain'): void {
  const file =
    typeof content === 'string' ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

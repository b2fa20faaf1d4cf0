const endings: Readonly<Record<string, string>> = {
  bash: 'sh',
  'c#': 'cs',
  'c++': 'cpp',
  csharp: 'cs',
  go: 'go',
  javascript: 'js',
  kotlin: 'kt',
  markdown: 'md',
  plaintext: 'txt',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  text: 'txt',
  typescript: 'ts',
};

/** File name for a block of code, by the language that Markdown names. */
export function codeFileName(language: string): string {
  const name = language.toLowerCase();
  const ending = endings[name] ?? (/^[a-z\d]{1,8}$/.test(name) ? name : 'txt');
  return `code.${ending}`;
}

/** A command of a page, with the output that the page shows for it. */
export interface TranscriptStep {
  readonly command: string;
  readonly output: string;
}

export interface PageTranscript {
  readonly steps: readonly TranscriptStep[];
  /** Contents of files that the page tells the reader to save, by file name. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Reads the commands and files of a page. Commands follow a `$` in `console` blocks; they continue over lines while
 * these end in a backslash or a quote is open. A block after a line that ends in `` `NAME`: `` is a file.
 */
export function readTranscript(page: string): PageTranscript {
  const blocks = page.matchAll(/^```console\n([^]*?)^```$/gm);
  const files = page.matchAll(/`([\w-]+\.\w+)`:\n\n```\w+\n([^]*?)^```$/gm);
  return {
    steps: [...blocks].flatMap(([, block = '']) => readSteps(block)),
    files: new Map([...files].map(([, name = '', text = '']) => [name, text])),
  };
}

function readSteps(block: string): TranscriptStep[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const lines = text.trimEnd().split('\n');
      let count = 1;
      while (count < lines.length && isUnfinished(lines.slice(0, count).join('\n'))) count += 1;
      return { command: lines.slice(0, count).join('\n'), output: lines.slice(count).join('\n') };
    });
}

function isUnfinished(command: string): boolean {
  return command.endsWith('\\') || (command.match(/'/g) ?? []).length % 2 === 1;
}

/**
 * True if a command printed the output that a page shows. White space is collapsed, figures with a unit may differ, and
 * progress lines may be missing. `…` stands for any characters, and a line `...` for any lines.
 */
export function matchesOutput(shown: string, printed: string): boolean {
  const pattern = normalize(shown)
    .split('\n')
    .map((line) => (line === '...' ? '(?:.*\\n)*?.*' : escape(line).replaceAll('…', '.*?')))
    .join('\\n');
  return new RegExp(`^${pattern}$`).test(normalize(printed));
}

/** Sizes, durations and speeds, which differ between machines. */
const figure = /\b\d[\d,.]* (?:[KMG]i?B|ms|s|seconds|tokens\/s|\/s)(?!\w)/g;

/** Progress lines, which depend on the speed of the machine. */
const progress = /^(?:Loading|Copying|Downloading) [^\n%]*? \d+ %(?: +[\d.]+ [KMG]?B)?\n?/gm;

function normalize(text: string): string {
  return text
    .replaceAll(/(?<=\d %)(?=[A-Z])/g, '\n')
    .replaceAll(progress, '')
    .trimEnd()
    .replaceAll(figure, '0 units')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ $/gm, '');
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

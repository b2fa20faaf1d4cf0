/** The part of `process.stdout` and `process.stderr` that a terminal stream uses. */
interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface TerminalStream {
  write(text: string): void;
  /** Writes the text and a line break. */
  line(text?: string): void;
  /** Writes the value as indented JSON. */
  json(value: unknown): void;
  /** True if the stream is a terminal, which can show bars, colors and rewritten lines. */
  readonly isInteractive: boolean;
  readonly style: Style;
  /** Current width in characters; Infinity if the stream is not a terminal. */
  readonly columns: number;
  /** For libraries that write to the stream themselves. */
  readonly raw: NodeJS.WritableStream;
}

/** All terminal output: results go to `output` (stdout), everything else to `messages` (stderr). */
export interface Terminal {
  readonly output: TerminalStream;
  readonly messages: TerminalStream;
  /**
   * Aborts when output can't be written any more, because the reader has exited (`hearth ls | head -1`) or the disk is
   * full.
   */
  readonly outputClosed: AbortSignal;
}

/** Colors are off if the stream is not a terminal, or if `NO_COLOR` is set (https://no-color.org). */
export function createTerminal(options: {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Terminal {
  const hasColors = (options.environment['NO_COLOR'] ?? '') === '';
  const closing = new AbortController();
  return {
    output: wrap(options.stdout, hasColors, () => closing.abort()),
    messages: wrap(options.stderr, hasColors, () => {}),
    outputClosed: closing.signal,
  };
}

function wrap(stream: OutputStream, hasColors: boolean, onClosed: () => void): TerminalStream {
  const isInteractive = stream.isTTY === true;
  let isClosed = false;
  // `runProcess` reports the error.
  stream.on('error', () => {
    isClosed = true;
    onClosed();
  });
  const write = (text: string): void => {
    if (!isClosed) stream.write(text);
  };
  return {
    write,
    line: (text = '') => write(`${text}\n`),
    json: (value) => write(`${JSON.stringify(value, null, 2)}\n`),
    isInteractive,
    style: createStyle(isInteractive && hasColors),
    get columns() {
      // Some terminals report 0 until they know their width.
      return isInteractive ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    raw: stream,
  };
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39] } as const;

/** Functions that add color to text, or return it unchanged. */
export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** Styles text with ANSI escape sequences (ECMA-48, select graphic rendition). */
export function createStyle(isOn: boolean): Style {
  const paint = (name: keyof typeof codes) => {
    const [open, close] = codes[name];
    return (text: string) =>
      isOn && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  };
  return { bold: paint('bold'), dim: paint('dim'), red: paint('red'), green: paint('green') };
}

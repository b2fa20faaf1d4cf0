import { createStyle, type Style } from './style.ts';

/** What a terminal stream needs of `process.stdout` and `process.stderr`. */
interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface TerminalStream {
  write(text: string): void;
  /** The text and a line break. */
  line(text?: string): void;
  /** The value as indented JSON. */
  json(value: unknown): void;
  /** Whether a person looks at it, so that bars, colours and rewritten lines make sense. */
  readonly isInteractive: boolean;
  readonly style: Style;
  /** How wide a person sees it now; without end where nobody looks. */
  readonly columns: number;
  /** For libraries that draw by themselves. */
  readonly raw: NodeJS.WritableStream;
}

/** The only way to the terminal: results go to `output` (stdout), all else to `messages` (stderr). */
export interface Terminal {
  readonly output: TerminalStream;
  readonly messages: TerminalStream;
  /** Aborted when nobody reads the output any more, as in `hearth ls | head -1`. */
  readonly outputClosed: AbortSignal;
}

/** Colours are off where the stream is no terminal, and where `NO_COLOR` is set (https://no-color.org). */
export function createTerminal(options: {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Terminal {
  const hasColours = (options.environment['NO_COLOR'] ?? '') === '';
  const closing = new AbortController();
  return {
    output: wrap(options.stdout, hasColours, () => closing.abort()),
    messages: wrap(options.stderr, hasColours, () => {}),
    outputClosed: closing.signal,
  };
}

function wrap(stream: OutputStream, hasColours: boolean, onClosed: () => void): TerminalStream {
  const isInteractive = stream.isTTY === true;
  let isClosed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
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
    style: createStyle(isInteractive && hasColours),
    get columns() {
      // Some terminals say 0 while they do not know.
      return isInteractive ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    raw: stream,
  };
}

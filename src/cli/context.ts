import type { Readable } from 'node:stream';
import type { Terminal } from './ui/terminal.ts';

export interface StandardInput extends Readable {
  readonly isTTY?: boolean;
  /** Of a terminal: keys arrive one by one, and are not echoed. */
  setRawMode?(isRaw: boolean): unknown;
}

/** Everything that a command may use of its process. */
export interface CommandContext {
  /** Home folder, absolute. */
  readonly home: string;
  /** Whether neither --home nor HEARTH_HOME sets the home folder. */
  readonly isDefaultHome?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly stdin: StandardInput;
  /** Path of the script that Node runs; the background server runs it again. */
  readonly entryPoint: string;
  /** Folder of the record of a server that runs as a system service; undefined if the platform has none. */
  readonly serviceFolder?: string | undefined;
  /** Aborts with an Interruption on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Keeps the code that V8 has compiled so far, for the next process. */
  readonly keepCompiledCode?: (() => void) | undefined;
}

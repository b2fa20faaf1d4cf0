import type { Readable } from 'node:stream';
import type { Terminal } from './ui/terminal.ts';

export interface StandardInput extends Readable {
  readonly isTTY?: boolean;
}

/** All that a command has of the process around it. */
export interface CommandContext {
  /** Home folder, absolute. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly stdin: StandardInput;
  /** The script that Node runs, to run it again in the background. */
  readonly entryPoint: string;
  /** Aborted with an Interruption by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}

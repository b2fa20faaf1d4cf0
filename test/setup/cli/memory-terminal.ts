import { Writable } from 'node:stream';
import { createTerminal, type Terminal } from '../../../src/cli/ui/terminal.ts';

class MemoryStream extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  text = '';

  constructor(isTTY: boolean, columns: number) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** A terminal that records its output, for tests. */
export function createMemoryTerminal(
  options: { readonly isInteractive?: boolean; readonly columns?: number } = {},
): {
  readonly terminal: Terminal;
  readonly stdout: MemoryStream;
  readonly stderr: MemoryStream;
} {
  const { isInteractive = false, columns = 80 } = options;
  const stdout = new MemoryStream(isInteractive, columns);
  const stderr = new MemoryStream(isInteractive, columns);
  const environment = isInteractive ? {} : { NO_COLOR: '1' };
  return { terminal: createTerminal({ stdout, stderr, environment }), stdout, stderr };
}

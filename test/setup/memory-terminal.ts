import { Writable } from 'node:stream';
import { createTerminal, type Terminal } from '../../src/cli/ui/terminal.ts';

class MemoryStream extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** A terminal that keeps what is written, for tests. */
export function createMemoryTerminal(options: { readonly isInteractive?: boolean } = {}): {
  readonly terminal: Terminal;
  readonly stdout: MemoryStream;
  readonly stderr: MemoryStream;
} {
  const isInteractive = options.isInteractive ?? false;
  const stdout = new MemoryStream(isInteractive);
  const stderr = new MemoryStream(isInteractive);
  const environment = isInteractive ? {} : { NO_COLOR: '1' };
  return { terminal: createTerminal({ stdout, stderr, environment }), stdout, stderr };
}

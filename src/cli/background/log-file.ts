import { openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { createPrivateFolder } from '../../platform/files/create-private-folder.ts';
import type { CommandContext } from '../context.ts';
import { describeFailure } from '../failure.ts';
import { createTerminal, type Terminal } from '../ui/terminal.ts';

/**
 * Runs work whose messages go to a file, as does the error that ends it: a service manager may keep no output.
 *
 * @param file Absolute path; only its owner can read a new file.
 */
export async function withLogFile<Result>(
  file: string,
  { environment }: CommandContext,
  work: (terminal: Terminal) => Promise<Result>,
): Promise<Result> {
  await createPrivateFolder(dirname(file));
  const descriptor = openSync(file, 'a', 0o600);
  const append = (text: string | Buffer): void => {
    try {
      writeSync(descriptor, Buffer.from(text));
    } catch {
      // It can't be reported: this is the log.
    }
  };
  // Node.js writes it to stderr only.
  process.on('uncaughtExceptionMonitor', (error) => append(`${inspect(error)}\n`));
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      append(chunk);
      done();
    },
  });
  try {
    return await work(createTerminal({ stdout: stream, stderr: stream, environment }));
  } catch (error) {
    const message = describeFailure(error);
    if (message !== undefined) append(`error: ${message}\n`);
    throw error;
  }
}

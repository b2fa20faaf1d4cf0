import { addAbortSignal } from 'node:stream';
import type { StandardInput } from './context.ts';
import { CommandError } from './failure.ts';
import type { TerminalStream } from './ui/terminal.ts';

const maxBytes = 48 * 1024 * 1024;
const hintAfterMs = 3_000;

/**
 * Reads piped input to its end, as UTF-8 and without the line breaks at the end. Says so when nothing
 * comes for a while, as a script may have left its own input open.
 *
 * @throws CommandError where the input is too large; the signal's reason when aborted.
 */
export async function readStandardInput(
  stdin: StandardInput,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<string> {
  const hint = setTimeout(
    () => messages.line('Waiting for the end of standard input; `< /dev/null` goes on without.'),
    hintAfterMs,
  );
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      clearTimeout(hint);
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) {
        throw new CommandError(`Standard input is larger than ${maxBytes} bytes.`);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(hint);
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/[\r\n]+$/, '');
}

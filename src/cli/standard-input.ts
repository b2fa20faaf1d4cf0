import { addAbortSignal } from 'node:stream';
import type { StandardInput } from './command.ts';
import { CommandError } from './failure.ts';
import type { TerminalStream } from './ui/terminal.ts';

const maxBytes = 48 * 1024 * 1024;
const hintAfterMs = 3_000;

/**
 * Reads piped input to its end as UTF-8, without trailing line breaks. If nothing arrives for a while, prints a hint,
 * since a script may have left its own standard input open.
 *
 * @throws CommandError if the input is too large; the signal's reason when aborted.
 */
export async function readStandardInput(
  stdin: StandardInput,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<string> {
  const hint = setTimeout(
    () => messages.line('Waiting for standard input. To run without it, add `< /dev/null`.'),
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

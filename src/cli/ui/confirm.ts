import { createInterface } from 'node:readline';
import type { StandardInput } from '../context.ts';
import type { TerminalStream } from './terminal.ts';

/**
 * Asks a yes/no question on the terminal. Anything but `y` or `yes` means no, including the end of the input.
 *
 * @throws the signal's reason when aborted.
 */
export async function confirm(
  question: string,
  stdin: StandardInput,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted();
  // In terminal mode, readline would handle Ctrl-C itself instead of the process.
  const lines = createInterface({ input: stdin, output: messages.raw, terminal: false });
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      lines.once('close', () => resolve(''));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      lines.question(`${question} [y/N] `, resolve);
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

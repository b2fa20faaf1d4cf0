import { createInterface } from 'node:readline';
import type { CommandContext, StandardInput } from '../command.ts';
import type { TerminalStream } from './terminal.ts';
import { createInterface as createAsker } from 'node:readline/promises';
import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import { Interruption } from '../failure.ts';

/**
 * Asks a yes/no question on the terminal. Anything except `y` or `yes` means no, including the end of the input.
 *
 * @throws The signal's reason when aborted.
 */
export async function confirm(
  question: string,
  stdin: StandardInput,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await askForLine(`${question} [y/N] `, stdin, messages, signal);
  return /^y(?:es)?$/i.test(answer.trim());
}

/**
 * Asks for a line on the terminal. Returns an empty text at the end of the input.
 *
 * @throws The signal's reason when aborted.
 */
export async function askForLine(
  question: string,
  stdin: StandardInput,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  // In terminal mode, readline would handle Ctrl-C itself instead of the process.
  const lines = createInterface({ input: stdin, output: messages.raw, terminal: false });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => resolve(''));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      lines.question(question, resolve);
    });
  } finally {
    lines.close();
  }
}

/**
 * Asks for one of the numbered choices, by its number or text. Repeats the question until the answer is valid.
 *
 * @returns `otherwise` for an empty answer; undefined at the end of the input.
 * @throws Interruption for Ctrl-C; the reason of the context's signal when aborted.
 */
export async function askForChoice(
  { stdin, terminal, signal }: Pick<CommandContext, 'stdin' | 'terminal' | 'signal'>,
  options: {
    readonly question: string;
    readonly choices: readonly string[];
    readonly otherwise: string | undefined;
  },
): Promise<string | undefined> {
  const leaving = linkAbort(signal);
  const lines = createAsker({ input: stdin, output: terminal.messages.raw, terminal: true });
  lines.on('SIGINT', () => leaving.abort(new Interruption('SIGINT')));
  // On Ctrl-D, readline closes without a result for the question.
  lines.on('close', () => leaving.abort(undefined));
  try {
    for (;;) {
      const answer = await lines.question(options.question, { signal: leaving.signal });
      const text = answer.trim();
      if (text === '') return options.otherwise;
      const chosen = options.choices.find(
        (choice, index) => text === String(index + 1) || text === choice,
      );
      if (chosen !== undefined) return chosen;
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    signal.throwIfAborted();
    terminal.messages.line();
    if (leaving.signal.reason instanceof Interruption) throw leaving.signal.reason;
    return undefined;
  } finally {
    leaving.dispose();
    lines.close();
  }
}

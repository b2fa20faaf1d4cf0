import { linkAbort } from '../../concurrency/linked-abort.ts';
import { createInterface } from 'node:readline/promises';
import type { CatalogModelRecord } from '../../contract/v1/catalog.ts';
import type { CommandContext } from '../context.ts';
import { Interruption } from '../failure.ts';

/**
 * Asks on the terminal which of the listed models to download.
 *
 * @returns undefined if the user chooses none.
 * @throws Interruption for Ctrl-C; the reason of the context's signal when aborted.
 */
export async function chooseModel(
  context: CommandContext,
  models: readonly CatalogModelRecord[],
): Promise<CatalogModelRecord | undefined> {
  const { stdin, terminal, signal } = context;
  const leaving = linkAbort(signal);
  const lines = createInterface({ input: stdin, output: terminal.messages.raw, terminal: true });
  lines.on('SIGINT', () => leaving.abort(new Interruption('SIGINT')));
  // On Ctrl-D, readline closes without answering the question.
  lines.on('close', () => leaving.abort(undefined));
  try {
    for (;;) {
      const answer = await lines.question(
        `Download which model? [1-${models.length}, Enter to cancel] `,
        {
          signal: leaving.signal,
        },
      );
      const text = answer.trim();
      if (text === '') return undefined;
      const chosen = models.find((model, index) => text === String(index + 1) || text === model.id);
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

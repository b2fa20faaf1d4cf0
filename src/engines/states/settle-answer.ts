import type { ChatGeneration, EngineSlots } from '../engine.ts';
import { commonTokens } from './shared-prefix.ts';

/** Next messages without a common beginning. */
const nextMessages = ['A', '1'];

/**
 * Reads a conversation into a slot as its next turn will send it, up to the next message of the user: chat templates
 * leave the reasoning of earlier answers out, so that the slot differs from the next prompt after the generation.
 *
 * @param history Ends with an answer.
 * @param stepTokens Tokens to read at once.
 * @returns The number of tokens that the slot has then; 0 if it is unchanged.
 * @throws The errors of `EngineSlots`; the signal's reason when aborted.
 */
export async function settleAnswer(
  slots: Pick<EngineSlots, 'tokenize' | 'read'>,
  slot: number,
  history: ChatGeneration,
  stepTokens: number,
  signal: AbortSignal,
): Promise<number> {
  const prompts = await Promise.all(
    nextMessages.map((content) => {
      const messages = [...history.messages, { role: 'user', content } as const];
      return slots.tokenize({ ...history, messages }, signal);
    }),
  );
  const [one = [], other = []] = prompts;
  const common = commonTokens(one, other);
  for (let end = Math.min(stepTokens, common); end > 0; end = Math.min(end + stepTokens, common)) {
    await slots.read({ slot, reusesSlot: true }, one.slice(0, end), signal);
    if (end === common) break;
  }
  return common;
}

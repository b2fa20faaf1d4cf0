import type { ChatGeneration, EngineSlots } from '../engine.ts';
import { commonTokens } from './shared-prefix.ts';

/** Two messages without a common beginning, to find the tokens that precede any next message. */
const nextMessages = ['A', '1'];

/**
 * Reads a conversation into a slot as the next turn will send it, up to the next user message. Without this, the slot
 * would differ from the next prompt, since chat templates leave out the reasoning of earlier answers.
 *
 * @param history Ends with an answer.
 * @param stepTokens Tokens to read at once.
 * @returns The number of tokens in the slot afterwards; 0 if the slot is unchanged.
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
  const { adapters } = history;
  for (let end = Math.min(stepTokens, common); end > 0; end = Math.min(end + stepTokens, common)) {
    await slots.read({ slot, reusesSlot: true, adapters }, one.slice(0, end), signal);
    if (end === common) break;
  }
  return common;
}

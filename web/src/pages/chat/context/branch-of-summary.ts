import type { Turn } from '../messages/turn.ts';

/**
 * The response that the branch with a summary continues: the first of the conversation, so that the branch belongs to it.
 * Null, for a new conversation, if the first turn alone is large or the only one.
 */
export function branchOfSummary(turns: readonly Turn[], contextLength: number): string | null {
  const [first] = turns;
  if (first?.responseId === undefined || first.stats === undefined || turns.length < 2) return null;
  const { input_tokens: input, total_output_tokens: output } = first.stats;
  return input + output < contextLength / 3 ? first.responseId : null;
}

import type { EngineMessage } from '../engines/engine.ts';

/** A shortened prompt reserves at most this fraction of the context (1/4) for the answer. */
const answerShare = 4;

interface ShortenedPrompt {
  readonly messages: readonly EngineMessage[];
  readonly droppedTurns: number;
}

/**
 * Drops as few of the oldest turns as possible, so that the prompt fits into the context and leaves room for the
 * answer. System messages, examples and the newest turn stay, even if they do not fit.
 *
 * @param countTokens Counts the tokens of a prompt; returns a number above the context size if it is too long.
 * @param maxAnswerTokens Maximum tokens of the answer; undefined: no limit.
 * @param exampleCount Number of messages after the system messages that stay, since they belong to no turn.
 */
export async function dropTurns(
  messages: readonly EngineMessage[],
  contextLength: number,
  maxAnswerTokens: number | undefined,
  countTokens: (messages: readonly EngineMessage[]) => Promise<number>,
  exampleCount = 0,
): Promise<ShortenedPrompt> {
  const answerTokens = Math.min(
    maxAnswerTokens ?? Infinity,
    Math.ceil(contextLength / answerShare),
  );
  const limit = contextLength - answerTokens;
  const begin = messages.findIndex(({ role }) => role !== 'system') + exampleCount;
  const turns = messages.slice(begin);
  const numbers = turnNumbers(turns);
  const without = (count: number): readonly EngineMessage[] => [
    ...messages.slice(0, begin),
    ...turns.filter(({ role }, index) => role === 'system' || (numbers[index] ?? 0) >= count),
  ];
  const fits = async (count: number): Promise<boolean> =>
    (await countTokens(without(count))) <= limit;
  if (await fits(0)) return { messages, droppedTurns: 0 };
  // Binary search: each dropped turn makes the prompt shorter.
  let tooFew = 0;
  let enough = numbers.at(-1) ?? 0;
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (await fits(middle)) enough = middle;
    else tooFew = middle;
  }
  return { messages: without(enough), droppedTurns: enough };
}

/** The turn of each message, from 0. A user message after other roles begins a turn. */
function turnNumbers(messages: readonly EngineMessage[]): readonly number[] {
  let turn = 0;
  let last: EngineMessage['role'] | undefined;
  return messages.map(({ role }) => {
    if (role === 'system') return turn;
    if (role === 'user' && last !== undefined && last !== 'user') turn += 1;
    last = role;
    return turn;
  });
}

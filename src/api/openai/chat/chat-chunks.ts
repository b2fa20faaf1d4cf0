import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { OpenAiChatChunk } from './chat-completion-schema.ts';
import type { TurnUsage } from '../../../store/turns/conversation-turn.ts';
import { toChatDelta } from './chat-delta.ts';
import type { ChoiceEvent } from './choices.ts';
import { toFinishReason } from './finish-reason.ts';
import { toLogprobs } from './to-logprobs.ts';
import { toUsage } from './usage.ts';

type Choice = OpenAiChatChunk['choices'][number];
export type ChunkHead = Pick<OpenAiChatChunk, 'id' | 'object' | 'created' | 'model'>;

interface ChatChunkOptions {
  readonly head: ChunkHead;
  /** Number of choices. */
  readonly count: number;
  readonly includesUsage: boolean;
}

/**
 * Returns a function that writes the chunks of a chat completion: deltas of its choices, the finish reason of each, the
 * usage if requested. It throws the error of `turn.error`.
 */
export function createChatChunks({
  head: { id, object, created, model },
  count,
  includesUsage,
}: ChatChunkOptions): (choiceEvent: ChoiceEvent<TurnEvent>) => readonly OpenAiChatChunk[] {
  const begun = new Set<number>();
  const usages: TurnUsage[] = [];
  const noUsage = includesUsage ? { usage: null } : undefined;
  // Written out: this runs for each token, and objects that are copied into others take twice the time.
  const chunk = (choice: Choice): OpenAiChatChunk => ({
    id,
    object,
    created,
    model,
    choices: [choice],
    ...noUsage,
  });
  // Some clients ignore the rest of a chunk with a role.
  const begin = (index: number): readonly OpenAiChatChunk[] => {
    if (begun.has(index)) return [];
    begun.add(index);
    return [chunk(toChoice(index, { role: 'assistant', content: '' }))];
  };
  return ({ index, event }) => {
    if (event.type === 'turn.error') throw event.error;
    if (event.type === 'turn.end') {
      usages[index] = event.result.usage;
      const end = chunk(toChoice(index, {}, null, toFinishReason(event.result)));
      const isLast = Object.keys(usages).length === count;
      const total = { id, object, created, model, choices: [], usage: toUsage(usages) };
      return [...begin(index), end, ...(isLast && includesUsage ? [total] : [])];
    }
    const delta = toChatDelta(event);
    if (delta === undefined) return [];
    const logprobs = toLogprobs(event.type === 'message.delta' ? event.logprobs : undefined);
    return [...begin(index), chunk(toChoice(index, delta, logprobs))];
  };
}

function toChoice(
  index: number,
  delta: Choice['delta'],
  logprobs: Choice['logprobs'] = null,
  finish_reason: Choice['finish_reason'] = null,
): Choice {
  return { index, delta, logprobs, finish_reason };
}

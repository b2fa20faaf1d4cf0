import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { OpenAiChatChunk } from '../../../contract/openai/chat-completion.ts';
import type { TurnUsage } from '../../../conversation/conversation-turn.ts';
import { toChatDelta } from '../../openai/chat-delta.ts';
import type { ChoiceEvent } from '../../openai/choices.ts';
import { toFinishReason } from '../../openai/finish-reason.ts';
import { toLogprobs } from './logprobs.ts';
import { toUsage } from './usage.ts';

type Choice = OpenAiChatChunk['choices'][number];
export type ChunkHead = Pick<OpenAiChatChunk, 'id' | 'object' | 'created' | 'model'>;

/**
 * The chunks of a chat completion: deltas of its choices, the finish reason of each, the usage if requested.
 *
 * @throws HearthError that of `turn.error`.
 */
export async function* toChatChunks(
  events: AsyncIterable<ChoiceEvent<TurnEvent>>,
  head: ChunkHead,
  includesUsage: boolean,
): AsyncGenerator<OpenAiChatChunk> {
  const { id, object, created, model } = head;
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
  for await (const { index, event } of events) {
    if (event.type === 'turn.error') throw event.error;
    if (event.type === 'turn.end') {
      usages[index] = event.result.usage;
      if (!begun.has(index)) yield chunk(opening(index));
      yield chunk(toChoice(index, {}, null, toFinishReason(event.result)));
      continue;
    }
    const delta = toChatDelta(event);
    if (delta === undefined) continue;
    // Some clients ignore the rest of a chunk with a role.
    if (!begun.has(index)) yield chunk(opening(index));
    begun.add(index);
    const logprobs = toLogprobs(event.type === 'message.delta' ? event.logprobs : undefined);
    yield chunk(toChoice(index, delta, logprobs));
  }
  if (includesUsage) yield { ...head, choices: [], usage: toUsage(usages) };
}

/** The first chunk of a choice. */
function opening(index: number): Choice {
  return toChoice(index, { role: 'assistant', content: '' });
}

function toChoice(
  index: number,
  delta: Choice['delta'],
  logprobs: Choice['logprobs'] = null,
  finish_reason: Choice['finish_reason'] = null,
): Choice {
  return { index, delta, logprobs, finish_reason };
}

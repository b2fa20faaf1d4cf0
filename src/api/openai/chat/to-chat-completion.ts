import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import type { OpenAiChatChunk, OpenAiChatCompletion } from './chat-completion-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toChatDelta, toChatMessage, toFinishReason, toLogprobs } from './choice-fields.ts';
import { toUsage } from './usage.ts';
import type { TurnUsage } from '../../../store/turns/conversation-turn.ts';
import type { ChoiceEvent } from './choices.ts';

type Choice = OpenAiChatCompletion['choices'][number];

/** A whole chat completion. All choices share one prompt. */
export function toChatCompletion(
  results: readonly TurnResult[],
  head: Pick<OpenAiChatCompletion, 'id' | 'object' | 'created' | 'model' | 'service_tier'>,
): OpenAiChatCompletion {
  return {
    ...head,
    choices: results.map(toChoice),
    usage: toUsage(results.map(({ usage }) => usage)),
    ...omitUndefined({ system_fingerprint: results[0]?.capabilities?.runtimeVersion }),
  };
}

function toChoice(result: TurnResult, index: number): Choice {
  const { content, ...more } = toChatMessage(result.items);
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && more.tool_calls !== undefined ? null : content,
      refusal: null,
      ...more,
    },
    logprobs: toLogprobs(result.logprobs),
    finish_reason: toFinishReason(result),
  };
}

type ChunkChoice = OpenAiChatChunk['choices'][number];
type ChunkHead = Pick<OpenAiChatChunk, 'id' | 'object' | 'created' | 'model' | 'service_tier'>;

interface ChatChunkOptions {
  readonly head: ChunkHead;
  /** Number of choices. */
  readonly count: number;
  readonly includesUsage: boolean;
}

/**
 * Returns a function that converts events to chunks of a chat completion: deltas of the choices, the finish reason of
 * each, and the usage if requested. It throws the error of `turn.error`.
 */
export function createChatChunks({
  head: { id, object, created, model, ...tier },
  count,
  includesUsage,
}: ChatChunkOptions): (choiceEvent: ChoiceEvent<TurnEvent>) => readonly OpenAiChatChunk[] {
  const begun = new Set<number>();
  const usages: TurnUsage[] = [];
  const noUsage = includesUsage ? { usage: null } : undefined;
  const more = 'service_tier' in tier ? { ...tier, ...noUsage } : noUsage;
  // Lists each field: this runs for each token, and spreading objects would take twice the time.
  const chunk = (choice: ChunkChoice): OpenAiChatChunk => ({
    id,
    object,
    created,
    model,
    choices: [choice],
    ...more,
  });
  // The role has a chunk of its own, since some clients ignore other fields of that chunk.
  const begin = (index: number): readonly OpenAiChatChunk[] => {
    if (begun.has(index)) return [];
    begun.add(index);
    return [chunk(toChunkChoice(index, { role: 'assistant', content: '' }))];
  };
  return ({ index, event }) => {
    if (event.type === 'turn.error') throw event.error;
    if (event.type === 'turn.end') {
      usages[index] = event.result.usage;
      const end = chunk(toChunkChoice(index, {}, null, toFinishReason(event.result)));
      const chunks = [...begin(index), end];
      if (!includesUsage || Object.keys(usages).length < count) return chunks;
      const usage = toUsage(usages);
      return [...chunks, { id, object, created, model, ...tier, choices: [], usage }];
    }
    const delta = toChatDelta(event);
    if (delta === undefined) return [];
    const logprobs = toLogprobs(event.type === 'message.delta' ? event.logprobs : undefined);
    return [...begin(index), chunk(toChunkChoice(index, delta, logprobs))];
  };
}

function toChunkChoice(
  index: number,
  delta: ChunkChoice['delta'],
  logprobs: ChunkChoice['logprobs'] = null,
  finish_reason: ChunkChoice['finish_reason'] = null,
): ChunkChoice {
  return { index, delta, logprobs, finish_reason };
}

import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { V0ChatChunk } from './chat-completion-schema.ts';
import { toChatDelta } from '../chat/chat-delta.ts';
import { toFinishReason } from '../chat/finish-reason.ts';
import { toV0Logprobs } from '../chat/logprobs.ts';
import type { ChunkFormat } from './chunk-stream.ts';

type Choice = V0ChatChunk['choices'][number];

/** The chunks of one chat completion; the first delta has the role. */
export function createChatChunks(): ChunkFormat<TurnEvent, Choice> {
  let isFirst = true;
  const toChoice = (delta: Choice['delta']): Choice => {
    const role = isFirst ? ({ role: 'assistant' } as const) : {};
    isFirst = false;
    return { index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: null };
  };
  return {
    idPrefix: 'chatcmpl',
    object: 'chat.completion.chunk',
    toChoice: ({ event }) => {
      if (event.type === 'turn.end') {
        return { ...toChoice({}), finish_reason: toFinishReason(event.result) };
      }
      const delta = toChatDelta(event);
      if (delta === undefined) return undefined;
      const logprobs = event.type === 'message.delta' ? event.logprobs : undefined;
      return { ...toChoice(delta), logprobs: toV0Logprobs(logprobs) };
    },
  };
}

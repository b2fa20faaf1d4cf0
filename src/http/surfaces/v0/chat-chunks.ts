import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { V0ChatChunk } from '../../../contract/v0/chat-completion.ts';
import type { ChunkFormat } from './chunk-stream.ts';
import { toV0Logprobs } from '../../openai/logprobs.ts';

type Choice = V0ChatChunk['choices'][number];

/** The chunks of one chat completion; the first delta has the role. */
export function createChatChunks(): ChunkFormat<TurnEvent, Choice> {
  let isFirst = true;
  return {
    idPrefix: 'chatcmpl',
    object: 'chat.completion.chunk',
    toChoice: (event) => {
      const delta = toDelta(event);
      if (delta === undefined) return undefined;
      const role = isFirst ? ({ role: 'assistant' } as const) : {};
      isFirst = false;
      return {
        index: 0,
        delta: { ...role, ...delta },
        logprobs: toV0Logprobs(event.type === 'message.delta' ? event.logprobs : undefined),
        finish_reason: null,
      };
    },
    toLastChoice: (finishReason) => ({
      index: 0,
      delta: {},
      logprobs: null,
      finish_reason: finishReason,
    }),
  };
}

function toDelta(event: TurnEvent): Choice['delta'] | undefined {
  switch (event.type) {
    case 'message.delta':
      return { content: event.text };
    case 'reasoning.delta':
      return { reasoning_content: event.text };
    case 'toolCall.delta': {
      if (!event.isForClient) return undefined;
      const { index, id, name, argumentsJson } = event;
      const opening = id === undefined ? {} : { id, type: 'function' as const };
      const named = name === undefined ? {} : { name };
      return {
        tool_calls: [{ index, ...opening, function: { ...named, arguments: argumentsJson } }],
      };
    }
    default:
      return undefined;
  }
}

import { runTurn } from '../../../chat/run-turn.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import {
  createChatCompletionV0,
  type V0ChatChunk,
  type V0ChatResult,
} from '../../../contract/v0/chat-completion.ts';
import type { TokenLogprob } from '../../../engine/engine.ts';
import { mount, type App } from '../../mount.ts';
import { eventStream } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { openChunkStream } from './chunk-stream.ts';
import { toV0Logprobs } from './logprobs.ts';
import { toV0ChatResult } from './to-chat-result.ts';
import { toTurnRequest } from './to-turn-request.ts';

type Choice = V0ChatChunk['choices'][number];

export function mountChatCompletions(app: App, services: SurfaceServices): void {
  mount(app, createChatCompletionV0, async ({ body, context }) => {
    const events = runTurn(services, toTurnRequest(body), context);
    if (body.stream !== true) return collect(events);
    const includesUsage = body.stream_options?.include_usage === true;
    const format = {
      idPrefix: 'chatcmpl',
      object: 'chat.completion.chunk',
      toChoice: createChoices(),
      toLastChoice: (finishReason: Choice['finish_reason']) => ({
        index: 0,
        delta: {},
        logprobs: null,
        finish_reason: finishReason,
      }),
    } as const;
    const chunks = await openChunkStream(events, format, { includesUsage, context });
    return eventStream(chunks, context);
  });
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<V0ChatResult> {
  for await (const event of events) {
    if (event.type === 'turn.error') throw event.error;
    if (event.type === 'turn.end') return toV0ChatResult(event.result);
  }
  throw new Error('The turn ended without turn.end');
}

/** Makes the choices of one stream; the first one has the role. */
function createChoices(): (event: TurnEvent) => Choice | undefined {
  let isFirst = true;
  return (event) => {
    const delta = toDelta(event);
    if (delta === undefined) return undefined;
    const role = isFirst ? ({ role: 'assistant' } as const) : {};
    isFirst = false;
    const logprobs: readonly TokenLogprob[] | undefined =
      event.type === 'message.delta' ? event.logprobs : undefined;
    return {
      index: 0,
      delta: { ...role, ...delta },
      logprobs: toV0Logprobs(logprobs),
      finish_reason: null,
    };
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

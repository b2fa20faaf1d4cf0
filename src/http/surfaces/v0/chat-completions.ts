import { runTurn } from '../../../chat/run-turn.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import { createChatCompletionV0, type V0ChatResult } from '../../../contract/v0/chat-completion.ts';
import { mount, type App } from '../../mount.ts';
import { runChoices } from '../../openai/choices.ts';
import { toReasoning } from '../../openai/reasoning.ts';
import { eventStream } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { createChatChunks } from './chat-chunks.ts';
import { openChunkStream } from './chunk-stream.ts';
import { toV0ChatResult } from './to-chat-result.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChatCompletions(app: App, services: SurfaceServices): void {
  mount(app, createChatCompletionV0, async ({ body, context }) => {
    const target = await services.pool.resolve(body.model ?? undefined, 'generation');
    const reasoning = toReasoning(target.selection.model, body);
    const request = { ...toTurnRequest(body, reasoning), target };
    if (body.stream !== true) return collect(runTurn(services, request, context));
    const events = runChoices(1, (_, own) => runTurn(services, request, own), context);
    const chunks = await openChunkStream(events, createChatChunks(), { count: 1, context });
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

import { runTurn } from '../../../chat/run-turn.ts';
import { createChatCompletionV0 } from './chat-completion-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import { runChoices } from '../chat/choices.ts';
import { toReasoning } from '../chat/reasoning.ts';
import { eventStream } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { createChatChunks } from './chat-chunks.ts';
import { toStreamFormat } from './chunk-stream.ts';
import { toV0ChatResult } from './to-chat-result.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChatCompletions(app: App, services: ApiServices): void {
  mount(app, createChatCompletionV0, async ({ body, context }) => {
    const target = await services.pool.resolve(body.model ?? undefined, 'generation');
    const reasoning = toReasoning(target.selection.model, body);
    const request = { ...toTurnRequest(body, reasoning), target };
    const events = runChoices(1, (_, own) => runTurn(services, request, own), context);
    if (body.stream !== true) return toV0ChatResult((await collect(events)).results[0]);
    const format = toStreamFormat(createChatChunks());
    return eventStream(await openStream(events, format, context), context);
  });
}

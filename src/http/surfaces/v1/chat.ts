import { omitUndefined } from '../../../omit-undefined.ts';
import { toErrorBody } from '../../../contract/error-body.ts';
import type { ChatRequest, ChatResult } from '../../../contract/v1/chat.ts';
import { createChat, type ChatEvent } from '../../../contract/v1/chat-event.ts';
import { runTurn } from '../../../chat/turn.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { TurnInputItem, TurnRequest } from '../../../chat/turn-request.ts';
import type { Sampling } from '../../../engine/engine.ts';
import type { Integration } from '../../../tools/toolbox.ts';
import { permits, type Principal } from '../../guards/principal.ts';
import { mount, type App } from '../../mount.ts';
import { toRequestContext } from '../../request-context.ts';
import { eventStream, type SseMessage } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';

export function mountChat(app: App, services: SurfaceServices): void {
  mount(app, createChat, async (received) => {
    const { body, signal, principal } = received;
    const request = toTurnRequest(body, principal);
    const events = runTurn(services, request, toRequestContext(received, services.logger));
    if (body.stream !== true) return collect(events);
    // What is wrong with the request shows before the first event, and is an ordinary error then.
    const first = await events.next();
    return eventStream(toMessages(first, events), { signal, logger: services.logger });
  });
}

/** Runs the turn to its end; an error on the way is the answer. */
async function collect(events: AsyncIterable<TurnEvent>): Promise<ChatResult> {
  for await (const event of events) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'chat.end') return event.result;
  }
  throw new Error('The turn ended without chat.end');
}

async function* toMessages(
  first: IteratorResult<TurnEvent>,
  rest: AsyncGenerator<TurnEvent>,
): AsyncGenerator<SseMessage> {
  try {
    if (first.done !== true) yield toMessage(first.value);
    for await (const event of rest) yield toMessage(event);
  } finally {
    await rest.return(undefined);
  }
}

function toMessage(event: TurnEvent): SseMessage {
  const wire: ChatEvent =
    event.type === 'error' ? { type: 'error', error: toErrorBody(event.error).error } : event;
  return { event: wire.type, data: JSON.stringify(wire) };
}

function toTurnRequest(body: ChatRequest, principal: Principal): TurnRequest {
  const { tokenId } = principal;
  return {
    model: body.model,
    input: toInput(body.input),
    sampling: toSampling(body),
    isStored: body.store ?? true,
    integrations: (body.integrations ?? []).map(toIntegration),
    toolCaller: { tokenId, hasPermission: (permission) => permits(principal, permission) },
    ownerId: tokenId,
    waitsForLoad: body.stream === true,
    ...omitUndefined({
      systemPrompt: body.system_prompt,
      previousResponseId: body.previous_response_id,
      maxOutputTokens: body.max_output_tokens,
      reasoning: body.reasoning,
      contextLength: body.context_length,
    }),
  };
}

function toInput(input: ChatRequest['input']): readonly TurnInputItem[] {
  if (typeof input === 'string') return [{ type: 'text', content: input }];
  return input.map((item) =>
    item.type === 'image'
      ? { type: 'image', dataUrl: item.data_url }
      : { type: 'text', content: item.content },
  );
}

function toIntegration(item: NonNullable<ChatRequest['integrations']>[number]): Integration {
  if (typeof item === 'string') return { type: 'plugin', id: item, isBare: true };
  const allowedTools = item.allowed_tools;
  if (item.type === 'plugin')
    return { type: 'plugin', id: item.id, ...omitUndefined({ allowedTools }) };
  const { server_label: serverLabel, server_url: serverUrl, headers } = item;
  return {
    type: 'ephemeral_mcp',
    serverLabel,
    serverUrl,
    ...omitUndefined({ allowedTools, headers }),
  };
}

function toSampling(body: ChatRequest): Sampling {
  return omitUndefined({
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    minP: body.min_p,
    repeatPenalty: body.repeat_penalty,
  });
}

import { runTurn } from '../../../../chat/run-turn.ts';
import { withToolImages } from '../../../../chat/stored-image.ts';
import { newResponseId } from '../../../../chat/store-turn.ts';
import type { TurnEvent } from '../../../../chat/turn-event.ts';
import { HearthError } from '../../../../contract/errors.ts';
import { createResponseOpenAi, type OpenAiResponse } from '../../../../contract/openai/response.ts';
import type { OpenAiResponseRequest } from '../../../../contract/openai/response-request.ts';
import {
  deleteResponseOpenAi,
  getResponseOpenAi,
  listInputItemsOpenAi,
} from '../../../../contract/openai/stored-response.ts';
import type { RequestContext } from '../../../../request/request-context.ts';
import type { StoredResponse } from '../../../../store/store.ts';
import { mount, type App } from '../../../mount.ts';
import { readAhead } from '../../../openai/choices.ts';
import { eventStream, type SseMessage } from '../../../sse.ts';
import type { SurfaceServices } from '../../services.ts';
import { openAiErrors } from '../errors.ts';
import { toReasoning } from '../../../openai/reasoning.ts';
import { toStreamError } from '../../../openai/stream-error.ts';
import { withResponseNames } from './field-names.ts';
import type { NumberedEvent, ResponseEvent } from './response-event.ts';
import { ResponseStream } from './response-stream.ts';
import { toInputItems } from './to-input-items.ts';
import { toInitialResponse, toStoredResponse } from './to-response.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountResponses(app: App, services: SurfaceServices): void {
  mount(app, createResponseOpenAi, async ({ body, context }) => {
    try {
      return await createResponse(services, body, context);
    } catch (error) {
      throw withResponseNames(error);
    }
  });

  mount(app, getResponseOpenAi, async ({ params, context }) =>
    toStoredResponse(await find(services, params.response_id, context)),
  );

  mount(app, deleteResponseOpenAi, async ({ params: { response_id: id }, context }) => {
    const isDeleted = await services.store.responses.delete(id, context.caller.tokenId);
    if (!isDeleted) throw notFound(id);
    return { id, object: 'response', deleted: true };
  });

  mount(app, listInputItemsOpenAi, async ({ params, query, context }) => {
    const response = await find(services, params.response_id, context);
    const items = await toInputItems(services.store, response);
    const ordered = query.order === 'asc' ? items : items.toReversed();
    const start = ordered.findIndex(({ id }) => id === query.after) + 1;
    const data = ordered.slice(start, start + query.limit);
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: start + data.length < ordered.length,
    };
  });
}

async function createResponse(
  services: SurfaceServices,
  body: OpenAiResponseRequest,
  context: RequestContext,
): Promise<OpenAiResponse | Response> {
  const { selection } = await services.pool.resolve(body.model ?? undefined, 'generation');
  const reasoning = toReasoning(selection.model, { reasoning_effort: body.reasoning?.effort });
  const responseId = newResponseId();
  const events = runTurn(services, { ...toTurnRequest(body, reasoning), responseId }, context);
  const initial = toInitialResponse(responseId, body.model || selection.model.key, body);
  const stream = new ResponseStream(initial);
  if (body.stream !== true) return collect(events, stream);
  const ready = await readAhead(events, (event) => {
    if (event.type === 'turn.error') throw event.error;
    return event.type.endsWith('.delta') || event.type === 'turn.end';
  });
  return eventStream(toMessages(ready, stream, context), context);
}

async function collect(
  events: AsyncIterable<TurnEvent>,
  stream: ResponseStream,
): Promise<OpenAiResponse> {
  for await (const event of events) {
    if (event.type === 'turn.error') throw event.error;
    const last = stream.record(event).at(-1);
    if (event.type === 'turn.end' && last !== undefined && 'response' in last) {
      return last.response;
    }
  }
  throw new Error('The turn ended without turn.end');
}

async function* toMessages(
  events: AsyncIterable<TurnEvent>,
  stream: ResponseStream,
  context: RequestContext,
): AsyncGenerator<SseMessage> {
  let count = 0;
  const number = (event: ResponseEvent): SseMessage => {
    const numbered: NumberedEvent = { ...event, sequence_number: count };
    count += 1;
    return { event: event.type, data: JSON.stringify(numbered) };
  };
  for (const event of stream.begin()) yield number(event);
  try {
    for await (const event of events) {
      for (const each of stream.record(event)) yield number(each);
    }
  } catch (error) {
    const named = withResponseNames(toStreamError(error, context)) as HearthError;
    const { code, message, param } = openAiErrors.serialize(named).body.error;
    const failure: NumberedEvent = {
      type: 'error',
      code,
      message,
      param,
      sequence_number: count,
    };
    yield { event: 'error', data: JSON.stringify(failure) };
  }
}

async function find(
  { store }: SurfaceServices,
  id: string,
  { caller }: RequestContext,
): Promise<StoredResponse> {
  const response = await store.responses.find(id, caller.tokenId);
  if (response === undefined) throw notFound(id);
  return withToolImages(store, response);
}

function notFound(id: string): HearthError {
  return new HearthError('response_not_found', `No stored response has the id "${id}".`, {
    param: 'response_id',
  });
}

import { countTurnTokens } from '../../../chat/count-tokens.ts';
import { beforeEnd } from '../../../chat/before-end.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import { withToolImages } from '../../../chat/stored-image.ts';
import { newResponseId } from '../../../chat/store-turn.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { TurnRequest } from '../../../chat/turn-request.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import {
  countInputTokensOpenAi,
  createResponseOpenAi,
  type OpenAiResponse,
} from './response-schema.ts';
import type { OpenAiResponseRequest } from './response-request-schema.ts';
import {
  cancelResponseOpenAi,
  deleteResponseOpenAi,
  getResponseOpenAi,
  listInputItemsOpenAi,
} from './stored-response-schema.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { StoredResponse } from '../../../store/store.ts';
import { unstoredResult } from '../../kit/errors/error-response.ts';
import { mount, type App } from '../../kit/mount.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream, toStreamError, type StreamFormat } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { openAiErrors } from '../errors.ts';
import { toReasoning } from '../chat/reasoning.ts';
import { toPage } from '../page.ts';
import type { ConversationLocks } from '../conversations/conversation-locks.ts';
import { ownHead } from '../conversations/find-head.ts';
import type { Preset } from '../../v1/presets/preset-schema.ts';
import type { ModelTarget } from '../../../engines/loads/open-request.ts';
import { findPreset, withPreset } from '../../v1/presets/use-preset.ts';
import { withServiceTier } from '../service-tier.ts';
import { currentResponse, followResponse } from './background.ts';
import { withResponseNames } from './field-names.ts';
import { withReferencedItems } from './item-references.ts';
import { withFileTexts } from './read-files.ts';
import type { ErrorEvent, NumberedEvent, ResponseEvent } from './response-event.ts';
import { ResponseStream } from './response-stream.ts';
import { toInputItems } from './to-input-items.ts';
import { namedConversation, toInitialResponse, toStoredResponse } from './to-response.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountResponses(app: App, services: ApiServices, locks: ConversationLocks): void {
  const { store, background } = services;

  mount(app, createResponseOpenAi, async ({ body, context }) => {
    try {
      return await createResponse({ services, locks }, body, context);
    } catch (error) {
      throw withResponseNames(error);
    }
  });

  mount(app, countInputTokensOpenAi, async ({ body, context }) => {
    try {
      const { request } = await readRequest(services, body, context);
      const tokens = await countTurnTokens(services, request, context);
      return { object: 'response.input_tokens', input_tokens: tokens };
    } catch (error) {
      throw withResponseNames(error);
    }
  });

  mount(app, getResponseOpenAi, async ({ params: { response_id: id }, query, context }) => {
    const turn = await background.find(id, context.caller.tokenId);
    if (query.stream === 'true') {
      if (turn === undefined) throw noEvents(await find(services, id, context));
      const events = followResponse(turn, context.signal);
      return eventStream(toMessages(events, context, query.starting_after), context);
    }
    const current = turn && (await currentResponse(turn));
    return current ?? storedResponse(services, id, context);
  });

  mount(app, cancelResponseOpenAi, async ({ params: { response_id: id }, context }) => {
    const turn = await background.cancel(id, context.caller.tokenId, context.signal);
    const current = turn && (await currentResponse(turn));
    if (current !== undefined) return current;
    const { turn: stored } = await find(services, id, context);
    if (stored.isBackground === true) return storedResponse(services, id, context);
    throw invalidValue('response_id', 'Only a response in the background can be cancelled.');
  });

  mount(app, deleteResponseOpenAi, async ({ params: { response_id: id }, context }) => {
    await background.remove(id, context.caller.tokenId);
    const isDeleted = await store.responses.delete(id, context.caller.tokenId);
    if (!isDeleted) throw notFound(id);
    return { id, object: 'response', deleted: true };
  });

  mount(app, listInputItemsOpenAi, async ({ params, query, context }) => {
    const response = await find(services, params.response_id, context);
    const items = await toInputItems(store, response);
    const ordered = query.order === 'asc' ? items : items.toReversed();
    const start = ordered.findIndex(({ id }) => id === query.after) + 1;
    if (query.after !== undefined && start === 0) throw notAnItem(query.after);
    const data = ordered.slice(start, start + query.limit);
    return toPage(data, start + data.length < ordered.length);
  });
}

interface ResponseServices {
  readonly services: ApiServices;
  readonly locks: ConversationLocks;
}

/** Locks the conversation while a response is generated, so that other requests can't change it. */
async function createResponse(
  parts: ResponseServices,
  body: OpenAiResponseRequest,
  context: RequestContext,
): Promise<OpenAiResponse | Response> {
  const conversationId = namedConversation(body);
  if (conversationId === undefined) return respond(parts, body, context, async () => {});
  const { id } = await ownHead(parts.services.store, conversationId, context, 'conversation');
  const unlock = await parts.locks.lock(id);
  try {
    return await respond(parts, body, context, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** @param onEnd Called at the end of the turn; not called if this function throws. */
async function respond(
  { services }: ResponseServices,
  body: OpenAiResponseRequest,
  ownContext: RequestContext,
  onEnd: () => Promise<void>,
): Promise<OpenAiResponse | Response> {
  const { context, served } = withServiceTier(ownContext, body.service_tier);
  const { request: turnRequest, completed, modelName } = await readRequest(services, body, context);
  const responseId = newResponseId();
  const serviceTier = served.service_tier;
  const request = { ...turnRequest, responseId, ...omitUndefined({ serviceTier }) };
  const initial = { ...toInitialResponse(responseId, modelName, completed), ...served };
  if (body.background === true) {
    const unhurried = { ...request, waitsForLoad: true };
    const turn = await services.background.start(services, unhurried, context, {
      initial,
      onEnd,
    });
    if (body.stream !== true) return (await currentResponse(turn)) ?? initial;
    const replayed = followResponse(turn, context.signal);
    return eventStream(toMessages(replayed, context), context);
  }
  const events = beforeEnd(runTurn(services, request, context), onEnd);
  const includesResults = body.include?.includes('file_search_call.results') === true;
  const stream = new ResponseStream(initial, Date.now, includesResults);
  if (body.stream !== true) return collectResponse(events, stream);
  const messages = await openStream(events, toStreamFormat(stream), context);
  // If the client disconnects before the stream is read, the generator never starts, so it can't call `onEnd`.
  context.signal.addEventListener('abort', () => void onEnd(), { once: true });
  return eventStream(messages, context);
}

async function readRequest(
  services: ApiServices,
  body: OpenAiResponseRequest,
  context: RequestContext,
): Promise<{
  readonly request: TurnRequest;
  /** The request, completed with the values of the preset; the response repeats them. */
  readonly completed: OpenAiResponseRequest;
  readonly modelName: string;
}> {
  const { pool, store } = services;
  const { tokenId } = context.caller;
  const conversationId = namedConversation(body);
  const conversation =
    conversationId === undefined
      ? undefined
      : await ownHead(store, conversationId, context, 'conversation');
  const preset = await findPreset(store, body.preset, context);
  const named = body.model || preset?.model;
  const target = await pool.resolve(named ?? undefined, 'generation', context.caller);
  const { model } = target.selection;
  const reasoning = toReasoning(model, { reasoning_effort: body.reasoning?.effort });
  const written = await withFileTexts(services, body.input, context);
  const input = await withReferencedItems(store, written, tokenId);
  const completed = withShownFields(body, preset, target);
  return {
    request: {
      ...withPreset(toTurnRequest({ ...completed, input }, reasoning, conversation), preset),
      target,
    },
    completed,
    modelName: named || model.key,
  };
}

function withShownFields(
  body: OpenAiResponseRequest,
  preset: Preset | undefined,
  { defaults: { sampling, maxOutputTokens } = {} }: ModelTarget,
): OpenAiResponseRequest {
  const defaults = {
    temperature: preset?.temperature ?? sampling?.temperature,
    top_p: preset?.top_p ?? sampling?.topP,
    max_output_tokens: preset?.max_output_tokens ?? maxOutputTokens,
    truncation: preset?.truncation,
  };
  return { ...omitUndefined(defaults), ...omitUndefined(body), input: body.input };
}

async function collectResponse(
  events: AsyncIterable<TurnEvent>,
  stream: ResponseStream,
): Promise<OpenAiResponse | Response> {
  let last: ResponseEvent | undefined;
  const onEvent = (event: TurnEvent): void => {
    last = stream.record(event).at(-1) ?? last;
  };
  const { storageFailure } = await collect(events, { onEvent });
  if (last === undefined || !('response' in last)) throw new Error('The response has no end');
  const { response } = last;
  return storageFailure === undefined
    ? response
    : unstoredResult(storageFailure, openAiErrors, response);
}

function toStreamFormat(stream: ResponseStream): StreamFormat<TurnEvent, SseMessage> {
  const { toMessage, toFailure } = numbering();
  return {
    write: (event) => {
      const before = event.type === 'turn.start' ? stream.begin() : [];
      return [...before, ...stream.record(event)].map(toMessage);
    },
    fail: (error) => [toFailure(error)],
  };
}

/** The messages of a background response's stream, after a position. */
async function* toMessages(
  events: AsyncIterable<ResponseEvent>,
  context: RequestContext,
  startingAfter = -1,
): AsyncGenerator<SseMessage> {
  const { toMessage, toFailure } = numbering();
  let position = 0;
  try {
    for await (const event of events) {
      const message = toMessage(event);
      if (position > startingAfter) yield message;
      position += 1;
    }
  } catch (error) {
    yield toFailure(toStreamError(error, context));
  }
}

/** Returns functions that convert events to numbered messages. */
function numbering() {
  let count = 0;
  const toMessage = (event: ResponseEvent | ErrorEvent): SseMessage => {
    const numbered: NumberedEvent = { ...event, sequence_number: count };
    count += 1;
    return { event: event.type, data: JSON.stringify(numbered) };
  };
  const toFailure = (error: HearthError): SseMessage => {
    const named = withResponseNames(error) as HearthError;
    const { code, message, param } = openAiErrors.serialize(named).body.error;
    return toMessage({ type: 'error', code, message, param });
  };
  return { toMessage, toFailure };
}

async function storedResponse(
  services: ApiServices,
  id: string,
  context: RequestContext,
): Promise<OpenAiResponse> {
  const response = await find(services, id, context);
  return toStoredResponse(response, await services.store.conversations.idOf(id));
}

async function find(
  { store }: ApiServices,
  id: string,
  { caller }: RequestContext,
): Promise<StoredResponse> {
  const response = await store.responses.find(id, caller.tokenId);
  if (response === undefined) throw notFound(id);
  return withToolImages(store, response);
}

/** The error if a response exists but its events are no longer kept. */
function noEvents({ id }: StoredResponse): HearthError {
  return invalidValue(
    'stream',
    `The events of ${id} are not kept: it did not run in the background, or ended more than 5 minutes ago.`,
  );
}

function notAnItem(id: string): HearthError {
  return invalidValue('after', `The input has no item ${JSON.stringify(id)}.`);
}

function notFound(id: string): HearthError {
  return new HearthError('response_not_found', `No stored response has the id "${id}".`, {
    param: 'response_id',
  });
}

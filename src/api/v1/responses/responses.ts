import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  cancelResponse,
  continueResponse,
  deleteResponse,
  followResponse,
  getResponse,
  listResponses,
  updateResponse,
} from './stored-response-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { answerTurn } from '../chat/chat.ts';
import { followTurn } from '../chat/to-chat-event.ts';
import { toContinuation } from './to-continuation.ts';
import { toResponsePage } from './to-response-page.ts';
import { toStoredResponse } from './to-stored-response.ts';

export function mountResponses(app: App, services: ApiServices): void {
  const { store, background } = services;
  mount(app, listResponses, async ({ query, context }) => {
    const page = await store.responses.page({
      ownerId: context.caller.tokenId,
      limit: query.limit,
      ...omitUndefined({ after: query.after }),
    });
    return toResponsePage(store, page);
  });

  mount(app, getResponse, async ({ params, context }) => {
    const response = await store.responses.find(params.response_id, context.caller.tokenId);
    if (response === undefined) throw notFound(params.response_id);
    return toStoredResponse(store, response);
  });

  mount(app, followResponse, async ({ params, headers, context }) => {
    const { response_id: id } = params;
    const turn = await background.find(id, context.caller.tokenId);
    if (turn === undefined) throw noEvents(id);
    return followTurn(turn, headers['last-event-id'] ?? -1, context);
  });

  mount(app, cancelResponse, async ({ params: { response_id: id }, context }) => {
    const { tokenId } = context.caller;
    await background.cancel(id, tokenId, context.signal);
    const response = await store.responses.find(id, tokenId);
    if (response === undefined) throw notFound(id);
    return toStoredResponse(store, response);
  });

  mount(app, continueResponse, async ({ params, body, context }) => {
    const response = await store.responses.find(params.response_id, context.caller.tokenId);
    if (response === undefined) throw notFound(params.response_id);
    const request = await toContinuation(store, response, body, context.caller.tokenId);
    return answerTurn(services, body, request, context);
  });

  mount(app, updateResponse, async ({ params: { response_id: id }, body, context }) => {
    const { tokenId } = context.caller;
    const isChanged = await store.responses.setMessage(id, tokenId, body.output_text);
    const response = isChanged ? await store.responses.find(id, tokenId) : undefined;
    if (response === undefined) throw notFound(id);
    return toStoredResponse(store, response);
  });

  mount(app, deleteResponse, async ({ params, query, context }) => {
    await background.remove(params.response_id, context.caller.tokenId);
    const isDeleted = await store.responses.delete(params.response_id, context.caller.tokenId, {
      keepsHistory: query.keep_history === 'true',
    });
    if (!isDeleted) throw notFound(params.response_id);
    return { response_id: params.response_id, deleted: true };
  });
}

function notFound(id: string): HearthError {
  return new HearthError(
    'response_not_found',
    `No stored response has the id "${id}". GET /api/v1/responses lists the existing ones.`,
    { param: 'response_id' },
  );
}

function noEvents(id: string): HearthError {
  return new HearthError(
    'response_not_found',
    `No response "${id}" runs in the background or did so in the last 5 minutes. GET /api/v1/responses/${id} returns a stored one.`,
    { param: 'response_id' },
  );
}

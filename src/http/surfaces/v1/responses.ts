import { omitUndefined } from '../../../omit-undefined.ts';
import { HearthError } from '../../../contract/errors.ts';
import {
  deleteResponse,
  getResponse,
  listResponses,
} from '../../../contract/v1/stored-response.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';
import { toStoredResponse } from './to-stored-response.ts';

export function mountResponses(app: App, { store }: SurfaceServices): void {
  mount(app, listResponses, async ({ query, context }) => {
    const { responses, nextCursor } = await store.responses.page({
      ownerId: context.caller.tokenId,
      limit: query.limit,
      ...omitUndefined({ after: query.after }),
    });
    return {
      responses: await Promise.all(responses.map((response) => toStoredResponse(store, response))),
      next_cursor: nextCursor,
    };
  });

  mount(app, getResponse, async ({ params, context }) => {
    const response = await store.responses.find(params.response_id, context.caller.tokenId);
    if (response === undefined) throw notFound(params.response_id);
    return toStoredResponse(store, response);
  });

  mount(app, deleteResponse, async ({ params, context }) => {
    const isDeleted = await store.responses.delete(params.response_id, context.caller.tokenId);
    if (!isDeleted) throw notFound(params.response_id);
    return { response_id: params.response_id, deleted: true };
  });
}

function notFound(id: string): HearthError {
  return new HearthError(
    'response_not_found',
    `No stored response has the id "${id}". GET /api/v1/responses lists those there are.`,
    { param: 'response_id' },
  );
}

import { omitUndefined } from '../../../omit-undefined.ts';
import { HearthError } from '../../../contract/errors.ts';
import { chatStatsSchema, outputItemSchema, type InputItem } from '../../../contract/v1/chat.ts';
import {
  deleteResponse,
  getResponse,
  listResponses,
  type StoredResponseRecord,
} from '../../../contract/v1/stored-response.ts';
import { storedImage } from '../../../chat/stored-image.ts';
import type { Store, StoredInputItem, StoredResponse } from '../../../store/store.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';

export function mountResponses(app: App, { store }: SurfaceServices): void {
  mount(app, listResponses, async ({ query, principal }) => {
    const { responses, nextCursor } = await store.responses.page({
      ownerId: principal.tokenId,
      limit: query.limit,
      ...omitUndefined({ after: query.after }),
    });
    return {
      responses: await Promise.all(responses.map((response) => toRecord(store, response))),
      next_cursor: nextCursor,
    };
  });

  mount(app, getResponse, async ({ params, principal }) => {
    const response = await store.responses.find(params.response_id, principal.tokenId);
    if (response === undefined) throw notFound(params.response_id);
    return toRecord(store, response);
  });

  mount(app, deleteResponse, async ({ params, principal }) => {
    const isDeleted = await store.responses.delete(params.response_id, principal.tokenId);
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

async function toRecord(store: Store, response: StoredResponse): Promise<StoredResponseRecord> {
  return {
    model_instance_id: response.modelInstanceId,
    output: response.output.map((item) => outputItemSchema.parse(item)),
    stats: chatStatsSchema.parse(response.stats),
    response_id: response.id,
    previous_response_id: response.parentId,
    created_at: response.createdAt.toISOString(),
    model: response.modelKey,
    system_prompt: response.systemPrompt,
    input: await Promise.all(response.input.map((item) => toInputItem(store, item))),
  };
}

async function toInputItem(store: Store, item: StoredInputItem): Promise<InputItem> {
  if (item.type === 'text') return item;
  return { type: 'image', data_url: await storedImage(store, item.sha256) };
}

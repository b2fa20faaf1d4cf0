import { addMessages } from '../../../chat/add-messages.ts';
import type { TurnMessage } from '../../../chat/turn-request.ts';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import {
  addConversationItemsOpenAi,
  createConversationOpenAi,
  deleteConversationItemOpenAi,
  deleteConversationOpenAi,
  getConversationItemOpenAi,
  getConversationOpenAi,
  listConversationItemsOpenAi,
  updateConversationOpenAi,
  type OpenAiConversation,
} from './conversation-schema.ts';
import type { OpenAiInputItem } from '../responses/response-request-schema.ts';
import type { TurnPart } from '../../../store/turns/conversation-turn.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { ConversationHead } from '../../../store/conversations/conversation.ts';
import type { StoredResponse } from '../../../store/store.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { assertToolCalls } from '../chat/to-messages.ts';
import { toPage } from '../page.ts';
import { withItemNames } from '../responses/field-names.ts';
import { withReferencedItems } from '../responses/item-references.ts';
import { withFileTexts } from '../responses/read-files.ts';
import { readInput } from '../responses/read-input.ts';
import { responseIdOf } from '../responses/to-output-item.ts';
import { conversationItems, itemsOfResponse } from './conversation-items.ts';
import type { ConversationLocks } from './conversation-locks.ts';
import { findHead, ownHead } from './find-head.ts';

/** `/v1/conversations`: the most recently used branch of a stored conversation, as a list of items. */
export function mountConversations(
  app: App,
  services: ApiServices,
  locks: ConversationLocks,
): void {
  const { store } = services;

  mount(app, createConversationOpenAi, ({ body: { items, metadata }, context }) =>
    naming(async () => {
      const messages = await readItems(services, items ?? [], context);
      assertToolCalls(messages);
      const { tokenId: ownerId } = context.caller;
      const created = await store.conversations.create({ ownerId, metadata: metadata ?? {} });
      if (messages.length > 0) {
        try {
          await add(services, created, messages, context);
        } catch (error) {
          await store.conversations.delete(created.id, ownerId);
          throw error;
        }
      }
      return toConversation(created);
    }),
  );

  mount(app, getConversationOpenAi, async ({ params: { conversation_id: id }, context }) =>
    toConversation(await findHead(store, id, context)),
  );

  mount(app, updateConversationOpenAi, async ({ params, body: { metadata }, context }) => {
    const { id, ownerId } = await ownHead(store, params.conversation_id, context);
    const updated = await store.conversations.setMetadata(id, ownerId, metadata ?? {});
    return toConversation(updated ?? (await findHead(store, id, context)));
  });

  mount(app, deleteConversationOpenAi, async ({ params, context }) => {
    const { id, ownerId } = await ownHead(store, params.conversation_id, context);
    await locks.with(id, () => store.conversations.delete(id, ownerId));
    return { id, object: 'conversation.deleted', deleted: true };
  });

  mount(app, listConversationItemsOpenAi, async ({ params, query, context }) =>
    conversationItems(store, await findHead(store, params.conversation_id, context), query),
  );

  mount(app, addConversationItemsOpenAi, async ({ params, body, context }) => {
    const { id } = await ownHead(store, params.conversation_id, context);
    const work = async () => {
      const head = await ownHead(store, id, context);
      const messages = await readItems(services, body.items, context);
      if (head.lastResponseId === null) assertToolCalls(messages);
      if (messages.length === 0) return toPage([], false);
      const added = await add(services, head, messages, context);
      return toPage(await itemsOfResponse(store, added), false);
    };
    return locks.with(id, () => naming(work));
  });

  mount(app, getConversationItemOpenAi, async ({ params, context }) => {
    const head = await findHead(store, params.conversation_id, context);
    const { item } = await findItem(services, head, params.item_id);
    return item;
  });

  mount(app, deleteConversationItemOpenAi, async ({ params, context }) => {
    const { id } = await ownHead(store, params.conversation_id, context);
    return locks.with(id, async () => {
      const head = await ownHead(store, id, context);
      const { response, part } = await findItem(services, head, params.item_id);
      await store.responses.removePart(response.id, head.ownerId, part);
      return toConversation(head);
    });
  });
}

/** @throws HearthError `invalid_value` for items that only responses accept. */
async function readItems(
  services: ApiServices,
  items: readonly OpenAiInputItem[],
  context: RequestContext,
): Promise<readonly TurnMessage[]> {
  const index = items.findIndex((item) => item.type === 'mcp_approval_response');
  if (index !== -1) {
    throw invalidValue(
      `items[${index}]`,
      'An approval is answered in the input of a response, which makes the call.',
    );
  }
  const written = await withFileTexts(services, [...items], context);
  const { tokenId } = context.caller;
  return readInput(await withReferencedItems(services.store, written, tokenId)).messages;
}

function add(
  services: ApiServices,
  { id: conversationId, lastResponseId: previousResponseId }: ConversationHead,
  messages: readonly TurnMessage[],
  context: RequestContext,
): Promise<StoredResponse> {
  return addMessages(services, { conversationId, previousResponseId, messages }, context);
}

/** Runs work on items. Its errors get the field names of item requests. */
async function naming<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw withItemNames(error);
  }
}

/** @throws HearthError `item_not_found`. */
async function findItem({ store }: ApiServices, { id, ownerId }: ConversationHead, itemId: string) {
  const responseId = responseIdOf(itemId);
  const isInside =
    responseId !== undefined && (await store.conversations.hasResponse(id, responseId));
  const response = isInside ? await store.responses.find(responseId, ownerId) : undefined;
  const items = response === undefined ? [] : await itemsOfResponse(store, response);
  const item = items.find((each) => each.id === itemId);
  if (response !== undefined && item !== undefined) {
    return { response, item, part: partOf(response, itemId) };
  }
  throw new HearthError(
    'item_not_found',
    `The conversation "${id}" has no item ${JSON.stringify(itemId.slice(0, 100))}.`,
    { param: 'item_id' },
  );
}

/**
 * Finds an item's position. It is part of the item's id, except for approval requests, whose ids number the calls of
 * the turn.
 */
function partOf({ turn }: StoredResponse, itemId: string): TurnPart {
  const request = turn.items.findIndex(
    (item) => item.type === 'approvalRequest' && item.id === itemId,
  );
  if (request !== -1) return { of: 'items', position: request };
  const [, isInput, position] = /_(in)?(\d+)$/.exec(itemId) ?? [];
  return { of: isInput === undefined ? 'items' : 'input', position: Number(position) };
}

function toConversation({ id, createdAt, metadata }: ConversationHead): OpenAiConversation {
  return {
    id,
    object: 'conversation',
    created_at: Math.floor(createdAt.getTime() / 1000),
    metadata: { ...metadata },
  };
}

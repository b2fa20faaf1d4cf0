import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  deleteConversation,
  getConversation,
  listConversationResponses,
  listConversations,
  updateConversation,
  type ConversationRecord,
} from './conversation-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type {
  ConversationNode,
  ListedConversation,
  StoredConversation,
} from '../../../store/conversations/conversation.ts';
import type { Store } from '../../../store/store.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { findProject } from '../projects/projects.ts';
import { toResponsePage } from '../responses/to-response-page.ts';
import { toReferencingResponse } from '../responses/to-stored-response.ts';

export function mountConversations(app: App, { store }: ApiServices): void {
  mount(app, listConversations, async ({ query, context }) => {
    const { limit, cursor, search, project_id: project = 'none', response_id: response } = query;
    if (response !== undefined) {
      const conversation = await conversationOf(store, response, context.caller.tokenId);
      return { conversations: [toConversationRecord(conversation)], next_cursor: null };
    }
    if (project !== 'none') await findProject(store, project, context);
    const {
      conversations,
      nextCursor,
      unindexedCount = 0,
    } = await store.conversations.page({
      ownerId: context.caller.tokenId,
      limit,
      ...omitUndefined({ cursor, search }),
      ...(query.archived !== 'any' && { isArchived: query.archived === 'true' }),
      ...(query.project_id !== undefined && { projectId: project === 'none' ? null : project }),
    });
    return {
      conversations: conversations.map(toListed),
      next_cursor: nextCursor,
      ...(unindexedCount > 0 && { unindexed_count: unindexedCount }),
    };
  });

  mount(app, getConversation, async ({ params: { conversation_id: id }, context }) => {
    const conversation = await findConversation(store, id, context.caller.tokenId);
    const nodes = await store.conversations.tree(id);
    return { ...toConversationRecord(conversation), responses: nodes.map(toNode) };
  });

  mount(app, listConversationResponses, async ({ params, query, context }) => {
    const { conversation_id: id } = params;
    const conversation = await findConversation(store, id, context.caller.tokenId);
    const leafId = await leafOf(store, conversation, query.leaf);
    const page = await store.conversations.branch({
      leafId,
      limit: query.limit,
      ...omitUndefined({ after: query.after }),
    });
    if (query.images !== 'reference') return toResponsePage(store, page);
    return { responses: page.responses.map(toReferencingResponse), next_cursor: page.nextCursor };
  });

  mount(app, updateConversation, async ({ params: { conversation_id: id }, body, context }) => {
    const { title, pinned: isPinned, archived: isArchived, project_id: projectId } = body;
    const changes = {
      ...omitUndefined({ title, isPinned, isArchived }),
      ...(projectId !== undefined && { projectId }),
    };
    const updated = await store.conversations.update(id, context.caller.tokenId, changes);
    if (updated === undefined) throw conversationNotFound(id);
    return toConversationRecord(updated);
  });

  mount(app, deleteConversation, async ({ params: { conversation_id: id }, context }) => {
    const isDeleted = await store.conversations.delete(id, context.caller.tokenId);
    if (!isDeleted) throw conversationNotFound(id);
    return { conversation_id: id, deleted: true };
  });
}

/** @throws HearthError `conversation_not_found`. */
async function conversationOf(
  store: Store,
  responseId: string,
  callerId: string | null,
): Promise<StoredConversation> {
  const id = await store.conversations.idOf(responseId);
  const conversation = id === undefined ? undefined : await store.conversations.find(id, callerId);
  if (conversation !== undefined) return conversation;
  throw new HearthError(
    'conversation_not_found',
    `No stored conversation has the response "${responseId}".`,
    { param: 'response_id' },
  );
}

/** @throws HearthError `conversation_not_found`. */
export async function findConversation(
  store: Store,
  id: string,
  callerId: string | null,
): Promise<StoredConversation> {
  const conversation = await store.conversations.find(id, callerId);
  if (conversation === undefined) throw conversationNotFound(id);
  return conversation;
}

/** @throws HearthError `invalid_value` if the conversation has no such response. */
export async function leafOf(
  store: Store,
  { id, lastResponseId }: StoredConversation,
  leaf: string | undefined,
): Promise<string> {
  if (leaf === undefined) return lastResponseId;
  if (await store.conversations.hasResponse(id, leaf)) return leaf;
  throw new HearthError('invalid_value', `leaf: The conversation has no response "${leaf}".`, {
    field: 'leaf',
  });
}

export function toConversationRecord(conversation: StoredConversation): ConversationRecord {
  return {
    conversation_id: conversation.id,
    title: conversation.title,
    pinned: conversation.isPinned,
    archived: conversation.isArchived,
    project_id: conversation.projectId,
    model: conversation.modelKey,
    created_at: conversation.createdAt.toISOString(),
    updated_at: conversation.updatedAt.toISOString(),
    response_count: conversation.responseCount,
    last_response_id: conversation.lastResponseId,
  };
}

export function toListed({ snippet, ...conversation }: ListedConversation) {
  if (snippet === undefined) return toConversationRecord(conversation);
  const { responseId, ...parts } = snippet;
  return {
    ...toConversationRecord(conversation),
    snippet: { response_id: responseId, ...parts },
  };
}

function toNode(node: ConversationNode) {
  return {
    response_id: node.id,
    previous_response_id: node.parentId,
    created_at: node.createdAt.toISOString(),
    model: node.modelKey,
    preview: node.isDeleted ? '' : node.preview,
    ...(node.isInterrupted && !node.isDeleted ? { interrupted: true as const } : {}),
    ...(node.isDeleted ? { deleted: true as const } : {}),
  };
}

export function conversationNotFound(id: string): HearthError {
  return new HearthError(
    'conversation_not_found',
    `No stored conversation has the id "${id}". GET /api/v1/conversations lists the existing ones.`,
    { param: 'conversation_id' },
  );
}

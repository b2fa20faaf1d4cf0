import { setImmediate as nextLoop } from 'node:timers/promises';
import { importConversation } from '../../../chat/import-conversation.ts';
import { storedImage } from '../../../chat/stored-image.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  exportConversation,
  importConversation as importRoute,
} from './conversation-export-schema.ts';
import { encodeTurn } from '../../../store/turns/conversation-turn.ts';
import type {
  ConversationNode,
  StoredConversation,
} from '../../../store/conversations/conversation.ts';
import { mediaOf } from '../../../store/turns/conversation-turn.ts';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { fromExport } from './imports/hearth.ts';
import { attachment } from '../../kit/attachment.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { conversationTitleMarkdown, toMarkdown } from './conversation-markdown.ts';
import { findConversation, leafOf, toConversationRecord } from './conversations.ts';

export function mountConversationExport(
  app: App,
  { store, maxImagePixels, audio }: ApiServices,
): void {
  mount(app, exportConversation, async ({ params, query, context }) => {
    const { caller, logger } = context;
    const conversation = await findConversation(store, params.conversation_id, caller.tokenId);
    const nodes = await store.conversations.tree(conversation.id);
    const read = async (id: string): Promise<StoredResponse | undefined> => {
      await nextLoop();
      return store.responses.find(id, caller.tokenId).catch((err: unknown) => {
        logger.warn({ err, responseId: id }, 'response left out of an export');
        return undefined;
      });
    };
    if (query.format === 'json') {
      const text = exportedJson(store, conversation, nodes, read);
      return download(text, 'application/json', `${conversation.title}.json`);
    }
    const leaf = await leafOf(store, conversation, query.leaf);
    const text = exportedMarkdown(conversation, branchOf(nodes, leaf), read);
    return download(text, 'text/markdown; charset=utf-8', `${conversation.title}.md`);
  });

  mount(app, importRoute, async ({ body, context }) => {
    const conversation = await importConversation(store, fromExport(body), {
      ownerId: context.caller.tokenId,
      clientKey: context.caller.clientKey,
      maxImagePixels,
      audio,
      signal: context.signal,
    }).catch((error: unknown) => {
      if (error instanceof HearthError || context.signal.aborted) throw error;
      throw new HearthError(
        'storage_failed',
        'The conversation could not be stored. See the log of the server.',
        { cause: error },
      );
    });
    return toConversationRecord(conversation);
  });
}

type Read = (id: string) => Promise<StoredResponse | undefined>;

/** Yields the JSON of a `ConversationExport` in pieces, so that a long conversation is never in memory as a whole. */
async function* exportedJson(
  store: Store,
  { title }: StoredConversation,
  nodes: readonly ConversationNode[],
  read: Read,
): AsyncGenerator<string> {
  const head = JSON.stringify({ format: 'hearth.conversation', version: 1, title });
  yield `${head.slice(0, -1)},"responses":[`;
  const images = new Set<string>();
  // Parent for the children of each omitted response.
  const continued = new Map<string, string | null>();
  let separator = '';
  for (const { id, parentId: storedParentId } of nodes) {
    const parentId = storedParentId === null ? null : (continued.get(storedParentId) ?? null);
    const response = await read(id);
    continued.set(id, response === undefined ? parentId : id);
    if (response === undefined) continue;
    for (const sha256 of mediaOf(response.turn)) images.add(sha256);
    const exported = JSON.stringify({
      response_id: id,
      previous_response_id: parentId,
      created_at: response.createdAt.toISOString(),
      model: response.modelKey,
      model_instance_id: response.modelInstanceId,
    });
    yield `${separator}${exported.slice(0, -1)},"turn":${encodeTurn(response.turn)}}`;
    separator = ',';
  }
  yield '],"images":{';
  separator = '';
  for (const sha256 of images) {
    const dataUrl = await storedImage(store, sha256).catch(() => undefined);
    if (dataUrl === undefined) continue;
    yield `${separator}${JSON.stringify(sha256)}:${JSON.stringify(dataUrl)}`;
    separator = ',';
  }
  yield '}}';
}

async function* exportedMarkdown(
  { title }: StoredConversation,
  branch: readonly string[],
  read: Read,
): AsyncGenerator<string> {
  yield conversationTitleMarkdown(title);
  for (const id of branch) {
    const response = await read(id);
    if (response !== undefined) yield toMarkdown(response);
  }
}

/** The ids of a branch, from its first response to the leaf. */
function branchOf(nodes: readonly ConversationNode[], leaf: string): readonly string[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const branch: string[] = [];
  for (let id: string | null = leaf; id !== null; id = parents.get(id) ?? null) branch.push(id);
  return branch.toReversed();
}

function download(pieces: AsyncIterable<string>, type: string, fileName: string): Response {
  const body = ReadableStream.from(pieces).pipeThrough(new TextEncoderStream());
  return new Response(body, {
    headers: { 'Content-Type': type, 'Content-Disposition': attachment(fileName) },
  });
}

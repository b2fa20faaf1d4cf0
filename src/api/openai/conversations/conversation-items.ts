import { withToolImages } from '../../../chat/stored-image.ts';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { toPage, type OpenAiStoredItem } from '../page.ts';
import type { ConversationHead } from '../../../store/conversations/conversation.ts';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toInputItems } from '../responses/to-input-items.ts';
import { responseIdOf, toOutput } from '../responses/to-output-item.ts';

interface ItemPageOptions {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly after?: string | undefined;
}

/** Number of responses to read at a time. */
const responsesPerStep = 20;
/** Maximum characters of a page's items as JSON. A page that exceeds it ends early, since it is kept in memory. */
const maxPageCharacters = 32 * 1024 * 1024;

/**
 * A page of a conversation's items, from the most recently used branch.
 *
 * @throws HearthError `invalid_value` if `after` is not an item of the conversation.
 */
export async function conversationItems(
  store: Store,
  head: ConversationHead,
  { order, limit, after }: ItemPageOptions,
  maxCharacters = maxPageCharacters,
): Promise<ReturnType<typeof toPage<OpenAiStoredItem>>> {
  const items: OpenAiStoredItem[] = [];
  let isPassed = after === undefined;
  let characters = 0;
  for await (const response of responsesOf(store, head, order === 'asc', after)) {
    const own = await itemsOfResponse(store, response);
    for (const item of order === 'asc' ? own : own.toReversed()) {
      if (isPassed && (items.length === limit || characters > maxCharacters)) {
        return toPage(items, true);
      }
      if (isPassed) {
        items.push(item);
        characters += JSON.stringify(item).length;
      }
      isPassed ||= item.id === after;
    }
    if (!isPassed) break;
  }
  if (!isPassed) throw notAnItem(after ?? '');
  return toPage(items, false);
}

/** The responses of the most recently used branch; if an item is passed, begins with the item's response. */
async function* responsesOf(
  store: Store,
  { lastResponseId: leafId, ownerId }: ConversationHead,
  isOldestFirst: boolean,
  itemId: string | undefined,
): AsyncGenerator<StoredResponse> {
  if (leafId === null) return;
  let cursor = itemId === undefined ? undefined : responseIdOf(itemId);
  if (itemId !== undefined && cursor === undefined) throw notAnItem(itemId);
  let first = cursor === undefined ? undefined : await store.responses.find(cursor, ownerId);
  do {
    const page = await store.conversations
      .branch({
        leafId,
        isOldestFirst,
        limit: responsesPerStep,
        ...omitUndefined({ after: cursor }),
      })
      .catch((error: unknown) => {
        const isElsewhere = error instanceof HearthError && error.field === 'after';
        throw isElsewhere && itemId !== undefined ? notAnItem(itemId) : error;
      });
    if (first !== undefined) yield first;
    first = undefined;
    yield* page.responses;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** All items of a response: its input and its output. */
export async function itemsOfResponse(
  store: Store,
  response: StoredResponse,
): Promise<readonly OpenAiStoredItem[]> {
  const { id, turn } = await withToolImages(store, response);
  return [...(await toInputItems(store, response)), ...toOutput(id, turn)];
}

function notAnItem(id: string): HearthError {
  return invalidValue('after', `The conversation has no item ${JSON.stringify(id.slice(0, 100))}.`);
}

import { TimeSlice } from '../../../kernel/concurrency/time-slice.ts';
import { type HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import type { OpenAiInputItem, OpenAiResponseRequest } from './response-request-schema.ts';
import type { Store } from '../../../store/store.ts';
import { toInputItems } from './to-input-items.ts';
import { responseIdOf, toOutput } from './to-output-item.ts';

type Input = OpenAiResponseRequest['input'];

/** Maximum characters of all referenced items as JSON: a short request can name long items. */
const maxCharacters = 32 * 1024 * 1024;

/**
 * Replaces the references in the input with their items, which belong to stored responses that the caller can read.
 *
 * @throws HearthError `invalid_value` for an item that does not exist or is named twice, and if the items are too long.
 */
export async function withReferencedItems(
  store: Store,
  input: Input,
  callerId: string | null,
  limit = maxCharacters,
): Promise<Input> {
  if (typeof input === 'string' || !input.some(isReference)) return input;
  const found = new Map<string, OpenAiInputItem>();
  let characters = 0;
  const slice = new TimeSlice();
  for (const [responseId, indexes] of referencesOf(input)) {
    const items = await itemsOf(store, responseId, callerId);
    for (const [id, index] of indexes) {
      const item = items.get(id);
      if (item === undefined) throw refused(index, `No stored item has the id ${shown(id)}.`);
      characters += JSON.stringify(item).length;
      if (characters > limit) throw refused(index, tooLong(limit));
      found.set(id, item);
    }
    await slice.pause();
  }
  return input.map((item) => (isReference(item) ? (found.get(item.id) ?? item) : item));
}

/** The positions of references in the input, by response id and item id. */
function referencesOf(
  input: readonly OpenAiInputItem[],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const references = new Map<string, Map<string, number>>();
  for (const [index, item] of input.entries()) {
    if (!isReference(item)) continue;
    const responseId = responseIdOf(item.id) ?? '';
    const indexes = references.get(responseId) ?? new Map<string, number>();
    if (indexes.has(item.id)) {
      throw refused(index, `The input names the item ${shown(item.id)} twice. Name it once.`);
    }
    references.set(responseId, indexes.set(item.id, index));
  }
  return references;
}

/** All items of a response, by their id; empty if the caller can't read the response. */
async function itemsOf(
  store: Store,
  responseId: string,
  callerId: string | null,
): Promise<ReadonlyMap<string, OpenAiInputItem>> {
  const response = await store.responses.find(responseId, callerId);
  if (response === undefined) return new Map();
  const items = [...(await toInputItems(store, response)), ...toOutput(response.id, response.turn)];
  // Stored items have the format of client input.
  return new Map(items.map((item) => [item.id, item as unknown as OpenAiInputItem]));
}

function isReference(
  item: OpenAiInputItem,
): item is Extract<OpenAiInputItem, { readonly type: 'item_reference' }> {
  return item.type === 'item_reference';
}

const shown = (id: string): string => JSON.stringify(id.slice(0, 100));

const tooLong = (limit: number): string =>
  `The items that the input names have more than ${limit} characters. Continue their conversation with \`previous_response_id\` instead.`;

function refused(index: number, message: string): HearthError {
  return invalidValue(`input[${index}].id`, message);
}

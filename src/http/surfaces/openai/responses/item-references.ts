import { HearthError } from '../../../../contract/errors.ts';
import type {
  OpenAiInputItem,
  OpenAiResponseRequest,
} from '../../../../contract/openai/response-request.ts';
import type { Store } from '../../../../store/store.ts';
import { toInputItems } from './to-input-items.ts';
import { responseIdOf, toOutput } from './to-output-item.ts';

type Input = OpenAiResponseRequest['input'];

/**
 * The input with the items that it refers to. They are items of stored responses that the caller can read.
 *
 * @throws HearthError `invalid_value` for an item that does not exist.
 */
export async function withReferencedItems(
  store: Store,
  input: Input,
  callerId: string | null,
): Promise<Input> {
  if (typeof input === 'string' || !input.some(isReference)) return input;
  const known = new Map<string, ReadonlyMap<string, OpenAiInputItem>>();
  const items: OpenAiInputItem[] = [];
  for (const [index, item] of input.entries()) {
    if (!isReference(item)) {
      items.push(item);
      continue;
    }
    const responseId = responseIdOf(item.id) ?? '';
    const ofResponse = known.get(responseId) ?? (await itemsOf(store, responseId, callerId));
    known.set(responseId, ofResponse);
    const found = ofResponse.get(item.id);
    if (found === undefined) throw missing(item.id, index);
    items.push(found);
  }
  return items;
}

/** All items of a response, by their id; none if the caller can't read it. */
async function itemsOf(
  store: Store,
  responseId: string,
  callerId: string | null,
): Promise<ReadonlyMap<string, OpenAiInputItem>> {
  const response = await store.responses.find(responseId, callerId);
  if (response === undefined) return new Map();
  const items = [...(await toInputItems(store, response)), ...toOutput(response.id, response.turn)];
  // Stored items have the form in which a client would send them.
  return new Map(items.map((item) => [item.id, item as unknown as OpenAiInputItem]));
}

function isReference(
  item: OpenAiInputItem,
): item is Extract<OpenAiInputItem, { readonly type: 'item_reference' }> {
  return item.type === 'item_reference';
}

function missing(id: string, index: number): HearthError {
  return new HearthError('invalid_value', `No stored item has the id ${JSON.stringify(id)}.`, {
    param: `input[${index}].id`,
  });
}

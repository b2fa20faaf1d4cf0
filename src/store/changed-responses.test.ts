import { afterEach, beforeEach, expect, it } from 'vitest';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { testDatabase } from '../../test/setup/store/test-database.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Store, StoredResponse } from './store.ts';
import type { ConversationTurn } from './turns/conversation-turn.ts';

let store: Store;
beforeEach(async () => {
  const database = await testDatabase();
  store = await database.open(createLogger('silent'));
});
afterEach(async () => {
  await store.close();
});

const idOf = (number: number) => `resp_${String(number).padStart(48, '0')}`;

async function insert(
  number: number,
  turn: Partial<ConversationTurn> = {},
  fields: Partial<StoredResponse> = {},
): Promise<void> {
  const response = {
    id: idOf(number),
    parentId: number === 1 ? null : idOf(number - 1),
    ownerId: null,
    createdAt: new Date(),
    modelKey: 'test/model',
    modelInstanceId: 'test/model',
    turn: conversationTurn({ items: [{ type: 'message', text: `answer ${number}` }], ...turn }),
    ...fields,
  };
  await store.responses.insert(response, []);
}

const remove = (number: number) =>
  store.responses.delete(idOf(number), null, { keepsHistory: false });
const chainOf = async (number: number, ownerId: string | null = null) =>
  (await store.responses.chain(idOf(number), ownerId))?.responses.map(({ id }) => id);

it('lets later responses continue the one before a deleted one, with its system prompt', async () => {
  await insert(1);
  await insert(2, { systemPrompt: 'Be brief.' });
  await insert(3);
  expect(await chainOf(3)).toHaveLength(3);
  expect(await remove(2)).toBe(true);
  expect(await chainOf(3)).toEqual([idOf(1), idOf(3)]);
  const third = await store.responses.find(idOf(3), null);
  expect(third?.turn.systemPrompt).toBe('Be brief.');
});

it('keeps the history of responses of other owners', async () => {
  await insert(1);
  await insert(2, {}, { ownerId: 'token_a' });
  expect(await remove(1)).toBe(true);
  expect(await chainOf(2, 'token_a')).toEqual([idOf(1), idOf(2)]);
  expect(await store.responses.find(idOf(1), null)).toBeUndefined();
});

it('refuses to delete calls whose results a later response has', async () => {
  const call = {
    type: 'clientToolCall',
    round: 0,
    id: 'a',
    name: 'look',
    argumentsJson: '{}',
  } as const;
  await insert(1, { items: [call] });
  expect(await store.responses.find(idOf(1), null)).toBeDefined();
  await insert(2);
  await expect(remove(1)).rejects.toMatchObject({ code: 'conflict' });
  expect(await chainOf(2)).toHaveLength(2);
  expect(await remove(2)).toBe(true);
  expect(await remove(1)).toBe(true);
});

it('changes the last message of an answer, or adds one', async () => {
  const reasoning = { type: 'reasoning', text: 'Hm.' } as const;
  await insert(1, { items: [{ type: 'message', text: 'First.' }, reasoning] });
  await insert(2, { items: [reasoning] });
  expect(await store.responses.setMessage(idOf(1), 'token_a', 'x')).toBe(false);
  expect(await store.responses.setMessage(idOf(1), null, 'One.')).toBe(true);
  expect(await store.responses.setMessage(idOf(2), null, 'Two.')).toBe(true);
  const chain = await store.responses.chain(idOf(2), null);
  expect(chain?.responses.map(({ turn }) => turn.items)).toEqual([
    [{ type: 'message', text: 'One.' }, reasoning],
    [reasoning, { type: 'message', text: 'Two.' }],
  ]);
});

it('does not read a removed part again if the conversation was read meanwhile', async () => {
  for (let number = 1; number <= 20; number += 1) await insert(number);
  const part = { of: 'items', position: 0 } as const;
  let removing: Promise<boolean> | undefined;
  await store.responses.chain(idOf(20), null, ({ id }) => {
    if (id === idOf(16)) removing = store.responses.removePart(idOf(20), null, part);
    return true;
  });
  expect(await removing).toBe(true);
  const chain = await store.responses.chain(idOf(20), null);
  expect(chain?.responses.at(-1)?.turn.items).toEqual([{ type: 'message', text: '' }]);
});

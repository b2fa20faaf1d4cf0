import { expect, it } from 'vitest';
import {
  conversationIdOf,
  responseIdOf,
  useConversations,
} from '../../test/setup/store/use-conversations.ts';
import { withDeletionListener } from './with-deletion-listener.ts';
import { noLimits } from './shared/rate-limit-repository.ts';

const conversations = useConversations();
it('reports deletions, after them, and only those that happened', async () => {
  let deletions = 0;
  let remaining = -1;
  const { say } = conversations;
  const store = withDeletionListener(conversations.store, async () => {
    deletions += 1;
    remaining = (await conversations.titles()).length;
  });
  const deletionsOf = async (work: Promise<unknown>) => {
    const before = deletions;
    const result = await work;
    return [result, deletions - before];
  };
  const part = { of: 'input', position: 0 } as const;

  expect(await deletionsOf(store.tokens.delete('one'))).toEqual([false, 0]);
  expect(await deletionsOf(store.responses.delete(responseIdOf('a'), null))).toEqual([false, 0]);
  expect(await deletionsOf(store.conversations.delete(conversationIdOf('a'), null))).toEqual([
    false,
    0,
  ]);
  expect(await deletionsOf(store.owners.delete('nobody'))).toEqual([
    { responseCount: 0, conversationCount: 0 },
    0,
  ]);

  await store.tokens.insert({
    id: 'one',
    name: 'a',
    permissions: [],
    secretHash: '0',
    createdAt: new Date(),
    expiresAt: null,
    lastUsedAt: null,
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal',
  });
  for (const name of ['a', 'b', 'c']) await say(name);
  await say('own', { ownerId: 'one' });
  expect(await deletionsOf(store.tokens.delete('one'))).toEqual([true, 1]);
  expect(remaining).toBe(3);
  expect(await deletionsOf(store.responses.removePart(responseIdOf('a'), null, part))).toEqual([
    true,
    1,
  ]);
  expect(await deletionsOf(store.responses.delete(responseIdOf('a'), null))).toEqual([true, 1]);
  expect(remaining).toBe(2);
  expect(await deletionsOf(store.conversations.delete(conversationIdOf('b'), null))).toEqual([
    true,
    1,
  ]);
  expect(remaining).toBe(1);
  expect(await deletionsOf(store.owners.delete('one'))).toEqual([
    { responseCount: 1, conversationCount: 1 },
    1,
  ]);
  // Everything else works as in the store itself.
  expect(await store.responses.find(responseIdOf('c'), null)).toMatchObject({
    id: responseIdOf('c'),
  });
});

import { describe, expect, it } from 'vitest';
import { responseIdOf, useConversations } from '../../test/setup/store/use-conversations.ts';
import { countResponses, moveResponses, revokeToken } from './revoke-token.ts';
import { createTokenService } from './token-service.ts';

const conversations = useConversations();

async function createToken(name: string): Promise<string> {
  const service = createTokenService({
    tokens: conversations.store.tokens,
    onTouchError: () => {},
  });
  return (await service.create({ name, permissions: ['chat'] })).record.id;
}

const say = async (text: string, ownerId: string | null): Promise<void> => {
  await conversations.say(text, { ownerId });
};

describe('revokeToken', () => {
  it('keeps the responses, which are then orphans', async () => {
    const { store } = conversations;
    const token = await createToken('laptop');
    await say('a', token);
    await say('b<a', token);
    expect(await revokeToken(store, token, { action: 'kept' })).toMatchObject({
      kind: 'revoked',
      responses: { responseCount: 2, conversationCount: 1 },
    });
    const { of, orphans } = await countResponses(store);
    expect(orphans).toEqual([{ ownerId: token, responseCount: 2, conversationCount: 1 }]);
    expect(of('none')).toEqual({ responseCount: 0, conversationCount: 0 });
  });

  it('deletes the responses of this token only', async () => {
    const { store } = conversations;
    const [token, other] = [await createToken('one'), await createToken('other')];
    await say('a', token);
    await say('b', other);
    await say('c', null);
    expect(await revokeToken(store, token, { action: 'deleted' })).toMatchObject({
      responses: { responseCount: 1, conversationCount: 1 },
    });
    expect(await store.responses.find(responseIdOf('a'), token)).toBeUndefined();
    expect(await conversations.titles(undefined, other)).toHaveLength(1);
    expect(await conversations.titles()).toHaveLength(1);
  });

  it('moves the responses, which the other token lists, continues and searches', async () => {
    const { store } = conversations;
    const [token, heir] = [await createToken('one'), await createToken('heir')];
    await say('a', token);
    await say('b<a', token);
    await say('other', token);
    expect(await revokeToken(store, token, { action: 'moved', to: heir })).toMatchObject({
      responses: { responseCount: 3, conversationCount: 2 },
    });
    expect(await conversations.titles('question', heir)).toHaveLength(2);
    expect((await store.responses.chain(responseIdOf('b'), heir))?.responses).toHaveLength(2);
    await say('c<b', heir);
    expect(await conversations.titles(undefined, heir)).toHaveLength(2);
    expect(await store.tokens.find(token)).toBeUndefined();
  });

  it('moves 500 responses of one conversation', async () => {
    const { store } = conversations;
    const [token, heir] = [await createToken('one'), await createToken('heir')];
    await say('0', token);
    for (let turn = 1; turn < 500; turn += 1) await say(`${turn}<${turn - 1}`, token);
    expect(await store.owners.move(token, heir)).toEqual({
      responseCount: 500,
      conversationCount: 1,
    });
    expect((await store.responses.page({ ownerId: token, limit: 10 })).responses).toEqual([]);
    expect((await store.responses.chain(responseIdOf('499'), heir))?.responses).toHaveLength(500);
  });

  it('changes nothing if a token does not exist', async () => {
    const { store } = conversations;
    const token = await createToken('one');
    await say('a', token);
    const unknown = await revokeToken(store, 'nope', { action: 'deleted' });
    expect(unknown).toEqual({ kind: 'unknown_token', id: 'nope' });
    for (const to of ['nope', token]) {
      const refused = await revokeToken(store, token, { action: 'moved', to });
      expect(refused).toEqual({ kind: 'unknown_token', id: to });
    }
    expect(await store.tokens.find(token)).toBeDefined();
    expect(await moveResponses(store, null, 'nope')).toBeUndefined();
    expect((await countResponses(store)).of(token).responseCount).toBe(1);
  });
});

describe('moveResponses', () => {
  it('gives a token the responses without one, also beside conversations that continue it', async () => {
    const { store } = conversations;
    const token = await createToken('one');
    await say('a', null);
    await say('b<a', token);
    expect((await countResponses(store)).orphans).toEqual([
      { ownerId: null, responseCount: 1, conversationCount: 1 },
    ]);
    expect(await moveResponses(store, null, token)).toEqual({
      responseCount: 1,
      conversationCount: 1,
    });
    expect(await conversations.titles(undefined, token)).toHaveLength(2);
    expect((await countResponses(store)).orphans).toEqual([]);
    expect(await store.responses.find(responseIdOf('a'), null)).toBeUndefined();
    expect(await moveResponses(store, token, token)).toMatchObject({ responseCount: 0 });
  });

  it('does not count the commands of the owner of the home folder as orphans', async () => {
    await say('a', 'owner');
    expect((await countResponses(conversations.store)).orphans).toEqual([]);
  });
});

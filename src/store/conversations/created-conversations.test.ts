import { describe, expect, it } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import { responseIdOf, useConversations } from '../../../test/setup/store/use-conversations.ts';

const home = useConversations();
const metadata = { project: 'sea' };

async function insert(name: string, conversationId: string, parentId: string | null = null) {
  const response = {
    id: responseIdOf(name),
    parentId,
    ownerId: null,
    createdAt: new Date('2026-11-02T09:30:00.000Z'),
    modelKey: 'hearth/starter-chat',
    modelInstanceId: 'hearth/starter-chat',
    turn: {
      ...conversationTurn(),
      messages: [{ role: 'user', content: [{ type: 'text', text: `question ${name}` }] }] as const,
    },
  };
  await home.store.responses.insert(response, [], conversationId);
  return response;
}

describe('a conversation that a client created', () => {
  it('is listed from its first response on, and stays without any', async () => {
    const { conversations, responses } = home.store;
    const { id } = await conversations.create({ ownerId: null, metadata });
    expect(await conversations.find(id, null)).toBeUndefined();
    expect(await home.list()).toEqual([]);
    expect(await conversations.head(id, null)).toMatchObject({ metadata, lastResponseId: null });
    const first = await insert('a', id);
    await insert('b', id, first.id);
    expect(await conversations.find(id, null)).toMatchObject({
      title: 'question a',
      responseCount: 2,
      lastResponseId: responseIdOf('b'),
    });
    expect(await conversations.idOf(responseIdOf('b'))).toBe(id);
    expect(await home.list('question')).toHaveLength(1);
    await responses.delete(responseIdOf('b'), null);
    await responses.delete(responseIdOf('a'), null);
    expect(await home.list()).toEqual([]);
    expect(await conversations.head(id, null)).toMatchObject({ metadata, lastResponseId: null });
    await insert('c', id);
    expect(await conversations.find(id, null)).toMatchObject({
      title: 'question a',
      responseCount: 1,
    });
    expect(await conversations.delete(id, null)).toBe(true);
    expect(await conversations.head(id, null)).toBeUndefined();
    await expect(insert('d', id)).rejects.toMatchObject({ code: 'conversation_not_found' });
  });

  it('belongs to its owner', async () => {
    const { conversations } = home.store;
    const { id } = await conversations.create({ ownerId: 'tok_a', metadata });
    expect(await conversations.head(id, 'tok_b')).toBeUndefined();
    expect(await conversations.head(id, null)).toBeUndefined();
    expect(await conversations.setMetadata(id, 'tok_b', {})).toBeUndefined();
    expect(await conversations.setMetadata(id, 'tok_a', {})).toMatchObject({ metadata: {} });
    expect(await conversations.delete(id, 'tok_b')).toBe(false);
    await expect(insert('a', id)).rejects.toMatchObject({ code: 'conversation_not_found' });
  });

  it('is one of the least recently used', async () => {
    const { id } = await home.store.conversations.create({ ownerId: null, metadata });
    expect(await home.store.conversations.leastRecent()).toMatchObject({ id, contentBytes: 0 });
  });
});

describe('a part of a response that is deleted', () => {
  it('is not stored, found or read any more, and its title goes, too', async () => {
    const { conversations, responses } = home.store;
    const { id } = await conversations.create({ ownerId: null, metadata });
    const { id: responseId } = await insert('a', id);
    expect((await responses.chain(responseId, null))?.responses).toHaveLength(1);
    const part = { of: 'input', position: 0 } as const;
    expect(await responses.removePart(responseId, 'tok_b', part)).toBe(false);
    expect(await responses.removePart(responseId, null, part)).toBe(true);
    expect(await home.list('question')).toEqual([]);
    const [stored] = (await responses.chain(responseId, null))?.responses ?? [];
    expect(stored?.turn).toMatchObject({
      messages: [{ content: [{ text: '' }] }],
      removed: [part],
    });
    expect((await conversations.find(id, null))?.title).not.toContain('question a');
  });
});

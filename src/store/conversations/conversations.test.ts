import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import {
  conversationIdOf,
  responseIdOf,
  useConversations,
} from '../../../test/setup/store/use-conversations.ts';

const home = useConversations();

describe('a conversation', () => {
  it('begins with a first response and has all that continue it', async () => {
    const first = await home.say('a', { input: '  What is\na tide?  ' });
    await home.say('b<a', { modelKey: 'other/model', changes: { isInterrupted: true } });
    const last = await home.say('c<a');
    const found = await home.store.conversations.find(conversationIdOf('a'), null);
    expect(found).toEqual({
      id: conversationIdOf('a'),
      ownerId: null,
      projectId: null,
      title: 'What is a tide?',
      isPinned: false,
      isArchived: false,
      createdAt: first.createdAt,
      updatedAt: last.createdAt,
      responseCount: 3,
      lastResponseId: responseIdOf('c'),
      modelKey: 'hearth/starter-chat',
    });
    const tree = await home.store.conversations.tree(conversationIdOf('a'));
    expect(tree.map(({ id, parentId, preview }) => [id, parentId, preview])).toEqual([
      [responseIdOf('a'), null, 'What is a tide?'],
      [responseIdOf('b'), responseIdOf('a'), 'question b'],
      [responseIdOf('c'), responseIdOf('a'), 'question c'],
    ]);
    expect(tree.map(({ isInterrupted }) => isInterrupted)).toEqual([false, true, false]);
    expect(tree[1]?.modelKey).toBe('other/model');
  });

  it('is listed by recency, pinned ones first, in pages', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await home.say(name);
    await home.say('f<b');
    await home.store.conversations.update(conversationIdOf('c'), null, { isPinned: true });
    const expected = ['c', 'b', 'e', 'd', 'a'].map(conversationIdOf);
    expect((await home.list()).map(({ id }) => id)).toEqual(expected);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await home.store.conversations.page({
        ownerId: null,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.conversations.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(expected);
  });

  it.each(['', 'x', '0.2026', `2.2026-11-21T10:00:00.000Z.${conversationIdOf('a')}`])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(
        home.store.conversations.page({ ownerId: null, limit: 2, cursor }),
      ).rejects.toMatchObject({ code: 'invalid_value', field: 'cursor' });
    },
  );

  it('belongs to the owner of its responses', async () => {
    await home.say('free');
    await home.say('mine<free', { ownerId: 'me' });
    await home.say('more<mine', { ownerId: 'me' });
    expect(await home.titles(undefined, 'me')).toEqual(['question mine']);
    expect(await home.titles(undefined, null)).toEqual(['question free']);
    expect(await home.titles(undefined, 'you')).toEqual([]);
    expect(await home.titles('question', 'me')).toEqual(['question mine']);
    expect(await home.store.conversations.find(conversationIdOf('mine'), 'you')).toBeUndefined();
    expect(await home.store.conversations.find(conversationIdOf('mine'), null)).toBeUndefined();
    expect(await home.store.conversations.find(conversationIdOf('free'), 'me')).toBeDefined();
    expect(
      await home.store.conversations.update(conversationIdOf('free'), 'me', {}),
    ).toBeUndefined();
    expect(await home.store.conversations.delete(conversationIdOf('free'), 'me')).toBe(false);
    expect(await home.store.conversations.delete(conversationIdOf('mine'), 'you')).toBe(false);
    const tree = await home.store.conversations.tree(conversationIdOf('mine'));
    expect(tree.map(({ id }) => id)).toEqual(['free', 'mine', 'more'].map(responseIdOf));
    expect(
      await home.store.conversations.hasResponse(conversationIdOf('mine'), responseIdOf('free')),
    ).toBe(true);
    expect(
      await home.store.conversations.hasResponse(conversationIdOf('free'), responseIdOf('mine')),
    ).toBe(false);
  });

  it('is renamed, which its next response does not change', async () => {
    await home.say('a');
    const id = conversationIdOf('a');
    const changes = { title: 'Tides', isPinned: true, isArchived: true };
    expect(await home.store.conversations.update(id, null, changes)).toMatchObject(changes);
    await home.say('b<a');
    expect(await home.store.conversations.find(id, null)).toMatchObject(changes);
    expect(await home.titles('Tides')).toEqual(['Tides']);
    expect(await home.store.conversations.update('conv_none', null, changes)).toBeUndefined();
  });

  it('shows deleted responses that others need without their words', async () => {
    await home.say('a', { input: 'secret words' });
    await home.say('b<a');
    await home.store.responses.delete(responseIdOf('a'), null);
    const [deleted] = await home.store.conversations.tree(conversationIdOf('a'));
    expect(deleted).toMatchObject({ id: responseIdOf('a'), isDeleted: true, preview: '' });
    expect(await home.store.conversations.find(conversationIdOf('a'), null)).toMatchObject({
      responseCount: 1,
    });
    expect((await home.list('secret')).map(({ snippet }) => snippet?.responseId)).toEqual([null]);
  });

  it('lists a branch newest first, without deleted responses', async () => {
    for (const text of ['a', 'b<a', 'c<b', 'd<c', 'other<b']) await home.say(text);
    await home.store.responses.delete(responseIdOf('b'), null);
    const first = await home.store.conversations.branch({ leafId: responseIdOf('d'), limit: 2 });
    expect(first.responses.map(({ id }) => id)).toEqual([responseIdOf('d'), responseIdOf('c')]);
    const second = await home.store.conversations.branch({
      leafId: responseIdOf('d'),
      limit: 2,
      after: first.nextCursor ?? '',
    });
    expect(second).toMatchObject({ responses: [{ id: responseIdOf('a') }], nextCursor: null });
    await expect(
      home.store.conversations.branch({
        leafId: responseIdOf('d'),
        limit: 2,
        after: responseIdOf('other'),
      }),
    ).rejects.toMatchObject({ code: 'invalid_value', field: 'after' });
  });

  it('leaves out responses that cannot be read, and logs them', async () => {
    for (const text of ['a', 'b<a', 'c<b']) await home.say(text);
    await home.query(
      `update responses set content = '{' where id = '${responseIdOf('b')}' returning id`,
    );
    const { responses } = await home.store.conversations.branch({
      leafId: responseIdOf('c'),
      limit: 9,
    });
    expect(responses.map(({ id }) => id)).toEqual([responseIdOf('c'), responseIdOf('a')]);
    expect((await home.store.responses.page({ ownerId: null, limit: 9 })).responses).toHaveLength(
      2,
    );
    expect(home.lines.map(({ responseId }) => responseId)).toEqual([
      responseIdOf('b'),
      responseIdOf('b'),
    ]);
  });
});

describe('search', () => {
  beforeEach(async () => {
    await home.say('tide', {
      input: 'How high is the Tide?',
      output: 'It is 4 m. "Spring" tide: 6 m.',
    });
    await home.say('zh', { input: '你好，世界', output: '今天天气很好' });
    await home.say('more<zh', { input: 'und jetzt Grüße', output: 'Straßenbahn 🔥 end' });
  });

  it.each([
    ['tide', ['How high is the Tide?']],
    ['TID', ['How high is the Tide?']],
    ['pring', ['How high is the Tide?']],
    ['spring low', []],
    ['how tide', ['How high is the Tide?']],
    ['世界', ['你好，世界']],
    ['好', ['你好，世界']],
    ['天气很', ['你好，世界']],
    ['nd', ['你好，世界']],
    ['🔥', ['你好，世界']],
    ['straße', ['你好，世界']],
    ['GRÜSSE', []],
    ['GRÜ', ['你好，世界']],
    ['m. it', ['How high is the Tide?']],
    ['absent', []],
    ['zq', []],
    [' ', ['你好，世界', 'How high is the Tide?']],
  ])('finds %j in %j', async (search, expected) => {
    expect(await home.titles(search)).toEqual(expected);
  });

  it.each([
    '"',
    '""',
    'tide"',
    "tide'",
    'AND',
    'tide AND',
    'NEAR(tide)',
    'text:tide',
    'tide*',
    '^tide',
    '-tide',
    '{tide}',
    '(((',
    '\0',
    'ti\0de',
    '\ud800',
    '%',
    '_',
    ';--',
    'x'.repeat(512),
    'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  ])('takes %j for text', async (search) => {
    await expect(home.list(search)).resolves.toBeInstanceOf(Array);
  });

  it('shows the place of the match', async () => {
    const [found] = await home.list('spring');
    expect(found?.snippet).toEqual({
      responseId: responseIdOf('tide'),
      before: 'How high is the Tide? It is 4 m. "',
      match: 'Spring',
      after: '" tide: 6 m.',
    });
    expect((await home.list('straßen'))[0]?.snippet).toMatchObject({
      responseId: responseIdOf('more'),
      match: 'Straßen',
    });
    await home.say('long', { input: `${'before '.repeat(20)}needle${' after'.repeat(90)}` });
    const { before = '', after = '' } = (await home.list('needle'))[0]?.snippet ?? {};
    expect(before).toMatch(/^…(?:before |\w+ )+$/);
    expect(before.length + after.length).toBeLessThan(180);
  });

  it('has nothing of a deleted conversation', async () => {
    await home.say('other', { input: 'kept' });
    expect(await home.store.conversations.delete(conversationIdOf('tide'), null)).toBe(true);
    expect(await home.titles('tide')).toEqual([]);
    expect(await home.titles('ide')).toEqual([]);
    expect(await home.titles('kep')).toEqual(['kept']);
  });
});

describe('delete', () => {
  it('removes all branches, and keeps what another conversation continues', async () => {
    for (const text of ['a', 'b<a', 'c<b', 'd<a']) await home.say(text);
    await home.say('mine<b', { ownerId: 'me' });
    expect(await home.store.conversations.delete(conversationIdOf('a'), null)).toBe(true);
    expect(await home.list()).toEqual([]);
    const rows = await home.query('select id from responses order by created_at');
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'mine'].map(responseIdOf));
    expect(await home.store.responses.find(responseIdOf('a'), null)).toBeUndefined();
    expect((await home.store.responses.chain(responseIdOf('mine'), 'me'))?.responses).toHaveLength(
      3,
    );
    const tree = await home.store.conversations.tree(conversationIdOf('mine'));
    expect(tree.map(({ isDeleted }) => isDeleted)).toEqual([true, true, false]);
    expect(await home.store.conversations.delete(conversationIdOf('mine'), 'me')).toBe(true);
    expect(await home.query('select id from responses')).toEqual([]);
    expect(await home.query('select id from conversation_entries')).toEqual([]);
  });

  it('removes more responses than one step does', async () => {
    await home.say('0');
    for (let index = 1; index < 450; index += 1) await home.say(`${index}<${index - 1}`);
    expect(await home.store.conversations.tree(conversationIdOf('0'))).toHaveLength(450);
    const chain = await home.store.responses.chain(responseIdOf('449'), null);
    expect(chain?.responses.map(({ id }) => id)).toEqual(
      Array.from({ length: 450 }, (_, index) => responseIdOf(`${index}`)),
    );
    await home.store.conversations.delete(conversationIdOf('0'), null);
    expect(await home.query('select id from responses')).toEqual([]);
  });
});

describe('import', () => {
  it('stores a tree with new ids, also one with two beginnings', async () => {
    const fields = { createdAt: new Date(0), modelKey: 'm', modelInstanceId: 'm' };
    const turn = conversationTurn();
    const imported = await home.store.conversations.import({
      ownerId: 'me',
      title: 'Imported',
      responses: [
        { id: 'x', parentId: null, turn, ...fields },
        { id: 'y', parentId: 'x', turn, ...fields },
        { id: 'z', parentId: null, turn, ...fields },
      ],
      blobs: [],
    });
    expect(imported).toMatchObject({ ownerId: 'me', title: 'Imported', responseCount: 3 });
    const [x, y, z] = await home.store.conversations.tree(imported.id);
    expect(x?.id).toMatch(/^resp_[0-9a-f]{48}$/);
    expect(y?.parentId).toBe(x?.id);
    expect(z?.parentId).toBeNull();
    expect(await home.titles('Imported', 'me')).toEqual(['Imported']);
    await home.store.conversations.delete(imported.id, 'me');
    expect(await home.query('select id from responses')).toEqual([]);
  });
});

describe('canReadBlob', () => {
  it('needs a response with the image that the caller can read', async () => {
    const bytes = Buffer.from('image');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const content = [{ type: 'image', sha256, mediaType: 'image/png' } as const];
    const changes = { messages: [{ role: 'user', content } as const] };
    await home.say('a', { ownerId: 'me', changes }, [{ sha256, mediaType: 'image/png', bytes }]);
    const readable = (callerId: string | null) =>
      home.store.conversations.canReadBlob(sha256, callerId);
    expect([await readable('me'), await readable('you'), await readable(null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await home.store.conversations.canReadBlob('x', 'me')).toBe(false);
    await home.store.responses.delete(responseIdOf('a'), 'me');
    expect(await readable('me')).toBe(false);
  });
});

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import { seededRandom } from '../../../test/setup/seeded-random.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { ConversationTurn } from '../../conversation/conversation-turn.ts';
import { createLogger } from '../../observability/logger.ts';
import { openSqlite } from '../../sqlite.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import type { NewBlob, Store, StoredResponse } from '../store.ts';

let file: string;
let store: Store;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
  lines = [];
  store = await createSqliteStore({
    file,
    logger: createLogger('warn', { write: (line) => void lines.push(JSON.parse(line)) }),
  });
  const opened = store;
  onTestFinished(() => opened.close());
});

const idOf = (name: string) =>
  `resp_${createHash('sha384').update(name).digest('hex').slice(0, 48)}`;
const conversationOf = (name: string) => idOf(name).replace('resp_', 'conv_');

let clock = Date.parse('2026-11-21T10:00:00.000Z');
interface Spoken extends Partial<StoredResponse> {
  readonly input?: string;
  readonly output?: string;
  readonly changes?: Partial<ConversationTurn>;
}

/** Stores the response `name`, or `name<parent`. */
async function say(text: string, spoken: Spoken = {}, blobs: readonly NewBlob[] = []) {
  const [name = '', parent] = text.split('<');
  const { input = `question ${name}`, output = `answer ${name}`, changes, ...fields } = spoken;
  clock += 1000;
  const response: StoredResponse = {
    id: idOf(name),
    parentId: parent === undefined ? null : idOf(parent),
    ownerId: null,
    createdAt: new Date(clock),
    modelKey: 'hearth/starter-chat',
    modelInstanceId: 'hearth/starter-chat',
    turn: conversationTurn({
      messages: [{ role: 'user', content: [{ type: 'text', text: input }] }],
      items: [{ type: 'message', text: output }],
      ...changes,
    }),
    ...fields,
  };
  await store.responses.insert(response, blobs);
  return response;
}

const list = async (search?: string, ownerId: string | null = null) =>
  (
    await store.conversations.page({
      ownerId,
      limit: 100,
      ...(search === undefined ? {} : { search }),
    })
  ).conversations;
const titles = async (search?: string, ownerId?: string | null) =>
  (await list(search, ownerId)).map(({ title }) => title);

function query(text: string): readonly Record<string, unknown>[] {
  const database = openSqlite(file);
  try {
    return database.prepare(text).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

describe('a conversation', () => {
  it('begins with a first response and has all that continue it', async () => {
    await say('a', { input: '  What is\na tide?  ' });
    await say('b<a', { modelKey: 'other/model', changes: { isInterrupted: true } });
    const last = await say('c<a');
    const found = await store.conversations.find(conversationOf('a'), null);
    expect(found).toEqual({
      id: conversationOf('a'),
      ownerId: null,
      title: 'What is a tide?',
      isPinned: false,
      createdAt: new Date(clock - 2000),
      updatedAt: last.createdAt,
      responseCount: 3,
      lastResponseId: idOf('c'),
      modelKey: 'hearth/starter-chat',
    });
    const tree = await store.conversations.tree(conversationOf('a'));
    expect(tree.map(({ id, parentId, preview }) => [id, parentId, preview])).toEqual([
      [idOf('a'), null, 'What is a tide?'],
      [idOf('b'), idOf('a'), 'question b'],
      [idOf('c'), idOf('a'), 'question c'],
    ]);
    expect(tree.map(({ isInterrupted }) => isInterrupted)).toEqual([false, true, false]);
    expect(tree[1]?.modelKey).toBe('other/model');
  });

  it('is listed by recency, pinned ones first, in pages', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await say(name);
    await say('f<b');
    await store.conversations.update(conversationOf('c'), null, { isPinned: true });
    const expected = ['c', 'b', 'e', 'd', 'a'].map(conversationOf);
    expect((await list()).map(({ id }) => id)).toEqual(expected);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.conversations.page({
        ownerId: null,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.conversations.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(expected);
  });

  it.each(['', 'x', '0.2026', `2.2026-11-21T10:00:00.000Z.${conversationOf('a')}`])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(
        store.conversations.page({ ownerId: null, limit: 2, cursor }),
      ).rejects.toMatchObject({ code: 'invalid_value', field: 'cursor' });
    },
  );

  it('belongs to the owner of its responses', async () => {
    await say('free');
    await say('mine<free', { ownerId: 'me' });
    await say('more<mine', { ownerId: 'me' });
    expect(await titles(undefined, 'me')).toEqual(['question mine']);
    expect(await titles(undefined, null)).toEqual(['question free']);
    expect(await titles(undefined, 'you')).toEqual([]);
    expect(await titles('question', 'me')).toEqual(['question mine']);
    expect(await store.conversations.find(conversationOf('mine'), 'you')).toBeUndefined();
    expect(await store.conversations.find(conversationOf('mine'), null)).toBeUndefined();
    expect(await store.conversations.find(conversationOf('free'), 'me')).toBeDefined();
    expect(await store.conversations.update(conversationOf('free'), 'me', {})).toBeUndefined();
    expect(await store.conversations.delete(conversationOf('free'), 'me')).toBe(false);
    expect(await store.conversations.delete(conversationOf('mine'), 'you')).toBe(false);
    const tree = await store.conversations.tree(conversationOf('mine'));
    expect(tree.map(({ id }) => id)).toEqual(['free', 'mine', 'more'].map(idOf));
    expect(await store.conversations.hasResponse(conversationOf('mine'), idOf('free'))).toBe(true);
    expect(await store.conversations.hasResponse(conversationOf('free'), idOf('mine'))).toBe(false);
  });

  it('is renamed, which its next response does not change', async () => {
    await say('a');
    const id = conversationOf('a');
    const changes = { title: 'Tides', isPinned: true };
    expect(await store.conversations.update(id, null, changes)).toMatchObject(changes);
    await say('b<a');
    expect(await store.conversations.find(id, null)).toMatchObject(changes);
    expect(await titles('Tides')).toEqual(['Tides']);
    expect(await store.conversations.update('conv_none', null, changes)).toBeUndefined();
  });

  it('shows deleted responses that others need without their words', async () => {
    await say('a', { input: 'secret words' });
    await say('b<a');
    await store.responses.delete(idOf('a'), null);
    const [deleted] = await store.conversations.tree(conversationOf('a'));
    expect(deleted).toMatchObject({ id: idOf('a'), isDeleted: true, preview: '' });
    expect(await store.conversations.find(conversationOf('a'), null)).toMatchObject({
      responseCount: 1,
    });
    expect((await list('secret')).map(({ snippet }) => snippet?.responseId)).toEqual([null]);
  });

  it('lists a branch newest first, without deleted responses', async () => {
    for (const text of ['a', 'b<a', 'c<b', 'd<c', 'other<b']) await say(text);
    await store.responses.delete(idOf('b'), null);
    const first = await store.conversations.branch({ leafId: idOf('d'), limit: 2 });
    expect(first.responses.map(({ id }) => id)).toEqual([idOf('d'), idOf('c')]);
    const second = await store.conversations.branch({
      leafId: idOf('d'),
      limit: 2,
      after: first.nextCursor ?? '',
    });
    expect(second).toMatchObject({ responses: [{ id: idOf('a') }], nextCursor: null });
    await expect(
      store.conversations.branch({ leafId: idOf('d'), limit: 2, after: idOf('other') }),
    ).rejects.toMatchObject({ code: 'invalid_value', field: 'after' });
  });

  it('leaves out responses that can not be read, and logs them', async () => {
    for (const text of ['a', 'b<a', 'c<b']) await say(text);
    query(`update responses set content = '{' where id = '${idOf('b')}' returning id`);
    const { responses } = await store.conversations.branch({ leafId: idOf('c'), limit: 9 });
    expect(responses.map(({ id }) => id)).toEqual([idOf('c'), idOf('a')]);
    expect((await store.responses.page({ ownerId: null, limit: 9 })).responses).toHaveLength(2);
    expect(lines.map(({ responseId }) => responseId)).toEqual([idOf('b'), idOf('b')]);
  });
});

describe('search', () => {
  beforeEach(async () => {
    await say('tide', { input: 'How high is the Tide?', output: 'It is 4 m. "Spring" tide: 6 m.' });
    await say('zh', { input: '你好，世界', output: '今天天气很好' });
    await say('more<zh', { input: 'und jetzt Grüße', output: 'Straßenbahn 🔥 end' });
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
    expect(await titles(search)).toEqual(expected);
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
    await expect(list(search)).resolves.toBeInstanceOf(Array);
  });

  it('shows the place of the match', async () => {
    const [found] = await list('spring');
    expect(found?.snippet).toEqual({
      responseId: idOf('tide'),
      before: 'How high is the Tide? It is 4 m. "',
      match: 'Spring',
      after: '" tide: 6 m.',
    });
    expect((await list('straßen'))[0]?.snippet).toMatchObject({
      responseId: idOf('more'),
      match: 'Straßen',
    });
    await say('long', { input: `${'before '.repeat(20)}needle${' after'.repeat(90)}` });
    const { before = '', after = '' } = (await list('needle'))[0]?.snippet ?? {};
    expect(before).toMatch(/^…(?:before |\w+ )+$/);
    expect(before.length + after.length).toBeLessThan(180);
  });

  it('has nothing of a deleted conversation, in the file neither', async () => {
    await say('other', { input: 'kept' });
    expect(await store.conversations.delete(conversationOf('tide'), null)).toBe(true);
    expect(await titles('tide')).toEqual([]);
    const terms = query('select term from conversation_search_terms').map(({ term }) => term);
    expect(terms).not.toContain('spr');
    expect(terms).toContain('kep');
  });
});

describe('delete', () => {
  it('removes all branches, and keeps what another conversation continues', async () => {
    for (const text of ['a', 'b<a', 'c<b', 'd<a']) await say(text);
    await say('mine<b', { ownerId: 'me' });
    expect(await store.conversations.delete(conversationOf('a'), null)).toBe(true);
    expect(await list()).toEqual([]);
    expect(query('select id from responses order by rowid').map(({ id }) => id)).toEqual(
      ['a', 'b', 'mine'].map(idOf),
    );
    expect(await store.responses.find(idOf('a'), null)).toBeUndefined();
    expect(await store.responses.chain(idOf('mine'), 'me')).toHaveLength(3);
    const tree = await store.conversations.tree(conversationOf('mine'));
    expect(tree.map(({ isDeleted }) => isDeleted)).toEqual([true, true, false]);
    expect(await store.conversations.delete(conversationOf('mine'), 'me')).toBe(true);
    expect(query('select id from responses')).toEqual([]);
    expect(query('select id from conversation_entries')).toEqual([]);
  });

  it('removes more responses than one step does', async () => {
    await say('0');
    for (let index = 1; index < 450; index += 1) await say(`${index}<${index - 1}`);
    expect(await store.conversations.tree(conversationOf('0'))).toHaveLength(450);
    const chain = await store.responses.chain(idOf('449'), null);
    expect(chain?.map(({ id }) => id)).toEqual(
      Array.from({ length: 450 }, (_, index) => idOf(`${index}`)),
    );
    await store.conversations.delete(conversationOf('0'), null);
    expect(query('select count(*) as count from responses')).toEqual([{ count: 0 }]);
  });
});

describe('import', () => {
  it('stores a tree with new ids, also one with two beginnings', async () => {
    const fields = { createdAt: new Date(0), modelKey: 'm', modelInstanceId: 'm' };
    const turn = conversationTurn();
    const imported = await store.conversations.import({
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
    const [x, y, z] = await store.conversations.tree(imported.id);
    expect(x?.id).toMatch(/^resp_[0-9a-f]{48}$/);
    expect(y?.parentId).toBe(x?.id);
    expect(z?.parentId).toBeNull();
    expect(await titles('Imported', 'me')).toEqual(['Imported']);
    await store.conversations.delete(imported.id, 'me');
    expect(query('select id from responses')).toEqual([]);
  });
});

describe('canReadBlob', () => {
  it('needs a response with the image that the caller can read', async () => {
    const bytes = Buffer.from('image');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const content = [{ type: 'image', sha256, mediaType: 'image/png' } as const];
    const changes = { messages: [{ role: 'user', content } as const] };
    await say('a', { ownerId: 'me', changes }, [{ sha256, mediaType: 'image/png', bytes }]);
    const readable = (callerId: string | null) => store.conversations.canReadBlob(sha256, callerId);
    expect([await readable('me'), await readable('you'), await readable(null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await store.conversations.canReadBlob('x', 'me')).toBe(false);
    await store.responses.delete(idOf('a'), 'me');
    expect(await readable('me')).toBe(false);
  });
});

it('agrees with a simple model after random operations', async () => {
  const random = seededRandom();
  const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  interface Known {
    readonly response: StoredResponse;
    readonly conversation: string;
    readonly words: string;
  }
  const known: Known[] = [];
  const names = new Map<string, string>();
  const owners = [null, 'me', 'you'] as const;
  const drop = (gone: (each: Known) => boolean) => {
    known.splice(0, known.length, ...known.filter((each) => !gone(each)));
    for (const id of names.keys()) {
      if (!known.some(({ conversation }) => conversation === id)) names.delete(id);
    }
  };
  for (let step = 0; step < 250; step += 1) {
    const owner = choose(owners) ?? null;
    const own = known.filter(({ response }) => response.ownerId === owner);
    const operation = random();
    if (operation < 0.6 || own.length === 0) {
      const readable = known.filter(
        ({ response }) => response.ownerId === owner || response.ownerId === null,
      );
      const parent = random() < 0.25 ? undefined : choose(readable);
      const name = `${step}`;
      const words = `${choose(['red', 'green', 'blue'])} thing ${step}`;
      const response = await say(name, {
        input: words,
        ownerId: owner,
        parentId: parent?.response.id ?? null,
      });
      const isJoined = parent !== undefined && parent.response.ownerId === owner;
      const conversation = isJoined ? parent.conversation : conversationOf(name);
      if (!isJoined) names.set(conversation, words);
      known.push({ response, conversation, words });
    } else if (operation < 0.85) {
      const { response } = choose(own) ?? { response: undefined };
      expect(await store.responses.delete(response?.id ?? '', owner)).toBe(true);
      drop((each) => each.response === response);
    } else if (operation < 0.92) {
      const { conversation = '' } = choose(own) ?? {};
      await store.conversations.update(conversation, owner, { title: `title ${step}` });
      names.set(conversation, `title ${step}`);
    } else {
      const { conversation = '' } = choose(own) ?? {};
      expect(await store.conversations.delete(conversation, owner)).toBe(true);
      drop((each) => each.conversation === conversation);
    }
    if (step % 10 !== 9) continue;
    for (const each of owners) {
      for (const search of [undefined, 'red', 'title']) {
        const isFound = (id: string, text: string) =>
          search === undefined ||
          text.includes(search) ||
          known.some(({ conversation, words }) => conversation === id && words.includes(search));
        const expected = [...names].flatMap(([id, title]) => {
          const members = known.filter(({ conversation }) => conversation === id);
          const last = members.at(-1)?.response;
          if (last === undefined || last.ownerId !== each || !isFound(id, title)) return [];
          return [[id, title, members.length, last.id, last.createdAt]];
        });
        const listed = await list(search, each);
        expect(
          listed.map(({ id, title, responseCount, lastResponseId, updatedAt }) => [
            id,
            title,
            responseCount,
            lastResponseId,
            updatedAt,
          ]),
        ).toEqual(expected.toSorted((one, other) => Number(other[4]) - Number(one[4])));
      }
    }
  }
  for (const owner of owners) {
    for (const { id } of await list(undefined, owner)) {
      const tree = await store.conversations.tree(id);
      const live = tree.filter(({ isDeleted }) => !isDeleted).map((node) => node.id);
      const members = known.filter(({ conversation }) => conversation === id);
      expect(live).toEqual(expect.arrayContaining(members.map(({ response }) => response.id)));
      expect(await store.conversations.delete(id, owner)).toBe(true);
    }
  }
  expect(query('select id from responses')).toEqual([]);
  expect(query('select id from conversation_entries')).toEqual([]);
  expect(query('select term from conversation_search_terms')).toEqual([]);
  query(`insert into conversation_search(conversation_search) values ('integrity-check')`);
  expect(query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

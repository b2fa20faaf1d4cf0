import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recordedStore, recordedStoreFile } from '../../test/setup/store/recorded-store.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqlite } from '../platform/sqlite.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { previewOf, titleOf } from './turns/conversation-turn.ts';

/** A copy of the database of Hearth 0.1.0. */
async function copyDatabase(): Promise<string> {
  const file = join(await temporaryFolder(), 'hearth.db');
  await copyFile(recordedStoreFile, file);
  return file;
}

const open = (file: string) => createSqliteStore({ file, logger: createLogger('silent') });

type Row = Readonly<Record<string, unknown>>;

/** Tables to compare; the recorded home of schema 9 has rows in each. */
const keptTables = [
  'responses',
  'conversations',
  'conversation_entries',
  'tokens',
  'downloads',
  'files',
  'file_chunks',
  'batches',
  'background_turns',
];

/** Rows of a table, in the order in which they were stored; none if there is no such table. */
function rowsOf(file: string, table: string): readonly Row[] {
  const database = openSqlite(file, { isReadOnly: true });
  try {
    const exists = database.prepare('select 1 from sqlite_schema where name = ?').get(table);
    if (exists === undefined) return [];
    return database.prepare(`select * from ${table} order by rowid`).all() as Row[];
  } finally {
    database.close();
  }
}

const contentsOf = (file: string) => {
  const database = openSqlite(file, { isReadOnly: true });
  try {
    return database.prepare('select id, content from responses order by id').all() as readonly {
      readonly id: string;
      readonly content: string;
    }[];
  } finally {
    database.close();
  }
};

it('rewrites every turn of an older database once and keeps its tree', async () => {
  const file = await copyDatabase();
  const before = contentsOf(file);
  await (await open(file)).close();
  const after = contentsOf(file);
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(before.every(({ content }) => !content.includes('formatVersion'))).toBe(true);
  expect(after.every(({ content }) => content.startsWith('{"formatVersion":4,'))).toBe(true);
  const store = await open(file);
  onTestFinished(() => store.close());
  expect(contentsOf(file)).toEqual(after);
  const { pages, ownerId } = await recordedStore();
  for (const [owner, page] of [
    [null, pages.anonymous],
    [ownerId, pages.token],
  ] as const) {
    const { responses } = await store.responses.page({ ownerId: owner, limit: 100 });
    expect(responses.map(({ id, parentId }) => ({ id, parentId }))).toEqual(
      page.responses.map(({ response_id: id, previous_response_id: parentId }) => ({
        id,
        parentId,
      })),
    );
  }
});

it('rewrites more rows than fit in one batch', async () => {
  const file = await copyDatabase();
  const database = openSqlite(file);
  database.exec(`
    insert into responses (id, created_at, model_key, model_instance_id, content)
    with recursive copies(number) as (select 1 union all select number + 1 from copies where number < 20)
    select id || number, created_at, model_key, model_instance_id, content from responses, copies
  `);
  database.close();
  const count = contentsOf(file).length;
  expect(count).toBeGreaterThan(200);
  await (await open(file)).close();
  const after = contentsOf(file);
  expect(after).toHaveLength(count);
  expect(after.every(({ content }) => content.startsWith('{"formatVersion":4,'))).toBe(true);
});

it('leaves a damaged turn unchanged and rewrites the others', async () => {
  const file = await copyDatabase();
  const [first, second, third] = contentsOf(file);
  const database = openSqlite(file);
  const damage = database.prepare('update responses set content = ?, owner_id = null where id = ?');
  damage.run('{"input":', first?.id ?? '');
  damage.run('{"input":[]}', second?.id ?? '');
  database.close();
  const store = await open(file);
  onTestFinished(() => store.close());
  const [one, two, three] = contentsOf(file);
  expect([one?.content, two?.content]).toEqual(['{"input":', '{"input":[]}']);
  expect(three?.content).toMatch(/^\{"formatVersion":4,/);
  await expect(store.responses.find(first?.id ?? '', null)).rejects.toThrow(first?.id);
  expect(third?.id).toBe(three?.id);
});

it('groups the responses of an older database into conversations that a search finds', async () => {
  const file = await copyDatabase();
  const damaged = openSqlite(file);
  const [first] = contentsOf(file);
  damaged.prepare('update responses set content = ? where id = ?').run('{', first?.id ?? '');
  const responses = damaged
    .prepare('select id, parent_id, owner_id, deleted_at from responses')
    .all() as {
    readonly id: string;
    readonly parent_id: string | null;
    readonly owner_id: string | null;
    readonly deleted_at: string | null;
  }[];
  damaged.close();
  const store = await open(file);
  onTestFinished(() => store.close());
  await store.fillSearchIndex(new AbortController().signal);
  const byId = new Map(responses.map((each) => [each.id, each]));
  const beginningOf = (id: string): string => {
    const { parent_id: parentId = null, owner_id: ownerId } = byId.get(id) ?? {};
    const isJoined = parentId !== null && byId.get(parentId)?.owner_id === ownerId;
    return isJoined ? beginningOf(parentId) : id;
  };
  const live = responses.filter((each) => each.deleted_at === null);
  const expected = new Set(live.map(({ id }) => beginningOf(id).replace('resp_', 'conv_')));
  const found = new Map<string, number>();
  for (const ownerId of new Set(responses.map((each) => each.owner_id))) {
    const { conversations } = await store.conversations.page({ ownerId, limit: 100 });
    for (const { id, responseCount, title } of conversations) {
      found.set(id, responseCount);
      const [word = ''] = title.split(' ');
      const search = { ownerId, limit: 100, search: word.replace('…', '') };
      const matches = await store.conversations.page(search);
      expect(matches.conversations.map((each) => each.id)).toContain(id);
    }
  }
  expect(new Set(found.keys())).toEqual(expected);
  expect([...found.values()].reduce((sum, count) => sum + count)).toBe(live.length);
});

it('can be put back as it was before the update', async () => {
  const file = await copyDatabase();
  const before = contentsOf(file);
  await (await open(file)).close();
  const backup = `${file}.schema-2.bak`;
  const kept = openSqlite(backup, { isReadOnly: true });
  expect(kept.prepare('select version from schema_version').all()).toEqual([{ version: 2 }]);
  expect(kept.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  kept.close();
  expect(contentsOf(backup)).toEqual(before);
  // The older version opens this file; this one updates it once more.
  const copy = `${file}.copy`;
  await copyFile(backup, copy);
  const store = await open(copy);
  onTestFinished(() => store.close());
  const page = await store.responses.page({ ownerId: null, limit: 100 });
  expect(page.responses.length).toBeGreaterThan(0);
});

it('gives the conversations of an older database the first words of their turns', async () => {
  const file = await copyDatabase();
  const database = openSqlite(file);
  database.exec(`
    update responses set content = '{' where id = (
      select min(id) from responses where parent_id is null and owner_id is null and deleted_at is null
    )`);
  database.close();
  const store = await open(file);
  onTestFinished(() => store.close());
  const { conversations } = await store.conversations.page({ ownerId: null, limit: 100 });
  expect(conversations.length).toBeGreaterThan(2);
  for (const { id, title } of conversations) {
    const entries = (await store.conversations.tree(id)).filter((entry) => !entry.isDeleted);
    const turns = await Promise.all(
      entries.map(async (entry) => {
        const response = await store.responses.find(entry.id, null).catch(() => undefined);
        return response?.turn;
      }),
    );
    const [first] = turns;
    expect(title).toBe(first === undefined ? 'Untitled' : titleOf(first));
    expect(entries.map(({ preview }) => preview)).toEqual(
      turns.map((turn) => (turn === undefined ? '' : previewOf(turn))),
    );
  }
  expect(conversations.filter(({ title }) => title === 'Untitled')).toHaveLength(1);
});

it('is unchanged by a conversion that breaks off, and converted at the next start', async () => {
  const file = await copyDatabase();
  const before = contentsOf(file);
  const breakOff = createSqliteStore({
    file,
    logger: createLogger('silent'),
    onMigration: (fraction) => {
      if (fraction > 0.5) throw new Error('broken off');
    },
  });
  await expect(breakOff).rejects.toThrow('broken off');
  expect(contentsOf(file)).toEqual(before);
  const store = await open(file);
  onTestFinished(() => store.close());
  expect(contentsOf(file).every(({ content }) => content.startsWith('{"formatVersion":4,'))).toBe(
    true,
  );
  const { conversations } = await store.conversations.page({ ownerId: null, limit: 100 });
  expect(conversations.length).toBeGreaterThan(2);
});

it.each([2, 9])('keeps every row of a home of schema %i', async (schema) => {
  const file = join(await temporaryFolder(), 'hearth.db');
  await copyFile(join(dirname(recordedStoreFile), `schema-${schema}.db`), file);
  const before = new Map(keptTables.map((table) => [table, rowsOf(file, table)]));
  const filled = keptTables.filter((table) => before.get(table)?.length !== 0);
  expect(filled).toEqual(schema === 9 ? keptTables : ['responses', 'tokens', 'downloads']);
  await (await open(file)).close();
  for (const table of filled) {
    // Turns are rewritten; see above.
    const rows = before.get(table)?.map(({ content: _content, ...row }) => row);
    expect(rowsOf(file, table), table).toMatchObject(rows ?? []);
  }
  const store = await open(file);
  onTestFinished(() => store.close());
  await store.fillSearchIndex(new AbortController().signal);
  const found = await store.conversations.page({ ownerId: null, limit: 9, search: 'Zorbek' });
  expect(found.conversations).toMatchObject([{ title: 'Name a color.', responseCount: 3 }]);
  const [owner] = await store.tokens.list();
  const own = await store.conversations.page({ ownerId: owner?.id ?? null, limit: 9 });
  expect(own.conversations).toMatchObject([{ title: 'Secret of Alice.', responseCount: 1 }]);
  expect(await store.downloads.list()).toMatchObject([{ status: 'completed', totalBytes: 10 }]);
});

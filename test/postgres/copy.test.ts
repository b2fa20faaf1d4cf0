import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../src/telemetry/logger.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store, StoredResponse } from '../../src/store/store.ts';
import { checkTables } from '../../src/store/tables/check-tables.ts';
import { CopyError, copyTables } from '../../src/store/tables/copy-tables.ts';
import { openTables } from '../../src/store/tables/open-tables.ts';
import type { StoreTables } from '../../src/store/tables/store-tables.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { conversationTurn } from '../setup/store/conversation-turn.ts';
import { postgresDatabase } from '../setup/store/test-database.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { noUsage } from '../../src/store/usage-repository.ts';
import { noLimits } from '../../src/store/shared/rate-limit-repository.ts';

const logger = createLogger('silent');
const { signal } = new AbortController();
const bytes = Buffer.from('the bytes of a picture \0\u{ff}');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const idOf = (name: string) =>
  `resp_${createHash('sha384').update(name).digest('hex').slice(0, 48)}`;

async function withStore<Result>(
  url: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ url, logger, maxConnections: 2 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Chains whose ids have another order than their times, a tombstone, an image, a token, a download, and a batch. */
async function fill({
  responses,
  conversations,
  tokens,
  downloads,
  files,
  batches,
  namedRecords,
  projects,
  sessions,
  vectorStores,
  toolApprovals,
  usage,
}: Store): Promise<void> {
  for (let index = 0; index < 120; index += 1) {
    const parent = index % 40 === 0 ? null : idOf(`${index - 1}`);
    const content = [
      { type: 'text', text: `潮汐 number ${index}` },
      ...(index === 5 ? [{ type: 'image', sha256, mediaType: 'image/png' } as const] : []),
    ] as const;
    const response: StoredResponse = {
      id: idOf(`${index}`),
      parentId: parent,
      ownerId: index >= 80 ? 'tok_me' : null,
      createdAt: new Date(1_000_000 + index * 1000),
      modelKey: 'm',
      modelInstanceId: 'm',
      turn: conversationTurn({ messages: [{ role: 'user', content }] }),
    };
    await responses.insert(
      response,
      index === 5 ? [{ sha256, mediaType: 'image/png', bytes }] : [],
    );
  }
  await responses.delete(idOf('30'), null);
  const [first] = (await conversations.page({ ownerId: null, limit: 1 })).conversations;
  await conversations.update(first?.id ?? '', null, { title: 'Pinned', isPinned: true });
  await conversations.create({ ownerId: null, metadata: { project: 'sea' } });
  await tokens.insert({
    id: 'tok_me',
    name: 'laptop',
    permissions: ['chat'],
    secretHash: 'ab'.repeat(32),
    createdAt: new Date(1000),
    expiresAt: null,
    lastUsedAt: new Date(2000),
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal',
  });
  const used = { day: '2026-11-02', tokenId: 'tok_me', modelKey: 'acme/tiny' };
  await usage.add([{ ...used, ...noUsage, requests: 3 }]);
  await downloads.insert({
    id: 'job_a',
    plan: { model: 'acme/tiny' },
    status: 'failed',
    isPausedByUser: true,
    totalBytes: 5_000_000_000,
    downloadedBytes: 4_999_999_999,
    startedAt: new Date(1000),
    completedAt: null,
    failure: { code: 'hub_unreachable' },
  });
  const requests = { id: 'file-a', ownerId: null, purpose: 'batch', name: 'a.jsonl' } as const;
  await files.write({ ...requests, createdAt: new Date(1000) }, piecesOf(bytes), 'home');
  await files.publish('file-a');
  await batches.insert({
    id: 'batch_a',
    ownerId: 'tok_me',
    endpoint: '/v1/embeddings',
    inputFileId: 'file-a',
    metadata: { project: 'sea' },
    createdAt: new Date(1000),
    expiresAt: new Date(2000),
  });
  await batches.addLines('batch_a', [{ line: 1, customId: 'a', start: 0, length: 9 }]);
  await vectorStores.insert({
    id: 'vs_a',
    ownerId: 'tok_me',
    name: 'Sea',
    metadata: {},
    embeddingModel: 'm',
    expiresAfterDays: null,
    createdAt: new Date(1000),
  });
  const file = { vectorStoreId: 'vs_a', fileId: 'file-a', batchId: 'vsfb_a' };
  await vectorStores.addFiles([
    {
      ...file,
      attributes: { year: 2026 },
      chunking: { maxTokens: 100, overlapTokens: 0 },
      createdAt: new Date(1000),
    },
  ]);
  const block = { position: 0, bytes: Buffer.from([0, 1]), texts: ['\0'] };
  await vectorStores.addBlock(file, block);
  const fields = { name: 'Sea', instructions: '', preset: null, model: null };
  const project = await projects.create('tok_me', fields, 1);
  const limits = { maxFiles: 1, maxTotalLength: 10 };
  await projects.addFile(project?.id ?? '', 'tok_me', { name: 'a', text: 'b' }, limits);
  await namedRecords.put({ kind: 'preset', ownerId: 'tok_me', name: 'calm' }, { temperature: 0.1 });
  const approval = { pluginId: 'mcp/files', tool: 'read_file', isApproved: true };
  await toolApprovals.keep('tok_me', approval, 10);
  await sessions.insert({
    id: 'b41e07d9c2a65f38',
    tokenId: 'tok_me',
    secretHash: 'ab',
    previousHash: null,
    rotatedAt: new Date(1000),
    confirmedAt: null,
    userAgent: 'Mozilla/5.0',
    address: '192.168.1.7',
    isSecure: true,
    createdAt: new Date(1000),
    lastUsedAt: new Date(2000),
  });
}

async function* piecesOf(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString('base64');
}

/** Everything that the repositories return. */
async function view(store: Store): Promise<unknown> {
  const pages = [];
  for (const ownerId of [null, 'tok_me']) {
    for (const search of [undefined, '潮汐', 'NUMBER 7', 'absent']) {
      const options = { ownerId, limit: 100, ...(search === undefined ? {} : { search }) };
      const { conversations } = await store.conversations.page(options);
      pages.push(conversations);
      for (const { id } of conversations) pages.push(await store.conversations.tree(id));
    }
    pages.push(await store.responses.page({ ownerId, limit: 500 }));
  }
  const days = { from: '2026-11-01', to: '2026-11-30', groupBy: ['modelKey'] } as const;
  return [
    pages,
    await store.usage.sum(days),
    await store.blobs.find(sha256),
    await store.tokens.list(),
    await store.downloads.list(),
    await bytesOf(store.files.read('file-a')),
    await store.batches.find('batch_a', 'tok_me'),
    await store.batches.pending('batch_a', 0, 10),
    await store.namedRecords.list('preset', 'tok_me'),
    await store.projects.list('tok_me'),
    await store.toolApprovals.list('tok_me'),
    await store.sessions.list('tok_me'),
    await store.vectorStores.find('vs_a', 'tok_me'),
    await store.vectorStores.readTexts('vs_a', { fileId: 'file-a', position: 0 }),
  ];
}

async function opened(url: string): Promise<StoreTables> {
  const tables = await openTables(url, { logger }, signal);
  onTestFinished(() => tables.close());
  return tables;
}

const copy = async (from: string, to: string) =>
  copyTables({ from: await opened(from), to: await opened(to), onProgress: () => {}, signal });

it('copies SQLite to PostgreSQL and back, verified and usable', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  const back = join(await temporaryFolder(), 'back.db');
  const { url } = await postgresDatabase();
  await withStore(file, fill);
  const expected = await withStore(file, view);
  const fractions: number[] = [];
  const there = await copyTables({
    from: await opened(file),
    to: await opened(url),
    onProgress: (done, total) => fractions.push(done / total),
    signal,
  });
  expect(there.map(({ name, rowCount }) => [name, rowCount])).toEqual([
    ['blobs', 1],
    ['responses', 120],
    ['response_blobs', 1],
    ['projects', 1],
    ['project_files', 1],
    ['conversations', 4],
    ['conversation_entries', 123],
    ['conversation_texts', 122],
    ['tokens', 1],
    ['sessions', 1],
    ['usage', 1],
    ['downloads', 1],
    ['files', 1],
    ['file_chunks', 1],
    ['vector_stores', 1],
    ['vector_store_files', 1],
    ['passage_blocks', 1],
    ['batches', 1],
    ['batch_lines', 1],
    ['named_records', 1],
    ['tool_approvals', 1],
  ]);
  expect(fractions.at(-1)).toBe(1);
  const inPostgres = await withStore(url, view);
  expect(inPostgres).toEqual(expected);
  expect(await copy(url, back)).toEqual(there);
  expect(await withStore(back, view)).toEqual(inPostgres);

  for (const database of [url, back]) {
    expect((await checkTables(await opened(database), signal)).problems).toEqual([]);
    // New rows get new numbers.
    await withStore(database, async ({ responses, conversations }) => {
      await responses.insert(
        {
          id: idOf('new'),
          parentId: idOf('39'),
          ownerId: null,
          createdAt: new Date(),
          modelKey: 'm',
          modelInstanceId: 'm',
          turn: conversationTurn(),
        },
        [],
      );
      const { conversations: found } = await conversations.page({
        ownerId: null,
        limit: 9,
        search: 'hello',
      });
      expect(found).toMatchObject([{ lastResponseId: idOf('new') }]);
    });
  }
});

it('replaces a NUL, which text of PostgreSQL does not have', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  const { url, query } = await postgresDatabase();
  await withStore(file, async (store) => {
    await fill(store);
    const [first] = (await store.conversations.page({ ownerId: null, limit: 1 })).conversations;
    await store.conversations.update(first?.id ?? '', null, { title: 'a\0b' });
  });
  await copy(file, url);
  const titles = await query('select title from conversations where is_pinned = 1');
  expect(titles).toEqual([{ title: 'a\u{fffd}b' }]);
});

it('copies nothing into a database that has rows', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  const { url, query } = await postgresDatabase();
  await withStore(file, fill);
  await withStore(url, ({ conversations }) =>
    conversations.create({ ownerId: null, metadata: {} }),
  );
  const error: unknown = await copy(file, url).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CopyError);
  expect(String(error)).toContain('its table conversations has 1 rows. Copy into a new database.');
  expect(await query('select from responses')).toEqual([]);
});

it('leaves nothing of a copy that is aborted', async () => {
  const file = join(await temporaryFolder(), 'hearth.db');
  const { url, query } = await postgresDatabase();
  await withStore(file, fill);
  const stopping = new AbortController();
  await expect(
    copyTables({
      from: await opened(file),
      to: await opened(url),
      onProgress: (done) => {
        if (done > 60) stopping.abort(new Error('stop'));
      },
      signal: stopping.signal,
    }),
  ).rejects.toThrow('stop');
  expect(await query('select from responses')).toEqual([]);
});

// covers cli-14
it('finds what is damaged', async () => {
  const { url, query } = await postgresDatabase();
  await withStore(url, fill);
  await query(`update responses set content = '{' where id = '${idOf('7')}'`);
  await query(`update blobs set bytes = 'other'`);
  await query(`update conversations set response_count = 7 where owner_id = 'tok_me'`);
  const { problems, rowCounts } = await checkTables(await opened(url), signal);
  expect(rowCounts['responses']).toBe(120);
  expect(problems).toEqual([
    expect.stringContaining(`The response ${idOf('7')} can't be read`),
    `The image ${sha256} has other bytes than its SHA-256 says.`,
    expect.stringMatching(/^The conversation conv_\w+ has 40 responses, but its count is 7\.$/),
  ]);
});

// covers cli-14
it('is a command', async () => {
  const home = await temporaryFolder();
  const { url } = await postgresDatabase();
  const environment = { HEARTH_STORE_URL: join(home, 'hearth.db') };
  await withStore(environment.HEARTH_STORE_URL, fill);
  const run = (...words: readonly string[]) =>
    runHearth(['store', ...words], { home, environment });
  const copied = await run('copy', url, '--json');
  expect(JSON.parse(copied.stdout)).toMatchObject({
    tables: expect.arrayContaining([
      { name: 'responses', rows: 120, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]),
  });
  expect(await run('copy', url)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('The target is not empty'),
  });
  expect(await run('copy', '--from', join(home, 'none.db'), url)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('There is no database'),
  });
  const back = await run('copy', '--from', url, join(home, 'back.db'));
  expect(back).toMatchObject({ exitCode: 0 });
  expect(back.stdout).toContain('responses: 120 rows, SHA-256 ');
  expect(await run('check')).toMatchObject({ exitCode: 0 });
});

import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { omitUndefined } from '../../src/kernel/omit-undefined.ts';
import { HearthError } from '../../src/kernel/errors/errors.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { describeStoreError, isDiskFull } from '../../src/store/store-errors.ts';
import type { ObjectStorage } from '../../src/store/blobs/object-storage.ts';
import { openObjectStorage } from '../../src/store/s3/open-object-storage.ts';
import { createConnectionPool } from '../../src/store/postgres/connection-pool.ts';
import { createPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store, StoredResponse } from '../../src/store/store.ts';
import { startFakeBucket } from '../setup/object-storage/fake-bucket.ts';
import { startPostgres } from '../setup/postgres/postgres-server.ts';
import { useSmallDisk } from '../setup/small-disk.ts';
import { conversationTurn } from '../setup/store/conversation-turn.ts';
import { useResource } from '../setup/use-resource.ts';

const server = useResource(() => startPostgres());
const name = 'hearth';
beforeAll(async () => {
  await server.query(`create database ${name}`);
});

let count = 0;
function response(fields: Partial<StoredResponse> = {}): StoredResponse {
  count += 1;
  return {
    id: `resp_${createHash('sha384').update(`fault ${count}`).digest('hex').slice(0, 48)}`,
    parentId: null,
    ownerId: null,
    createdAt: new Date(count * 1000),
    modelKey: 'm',
    modelInstanceId: 'm',
    turn: conversationTurn(),
    ...fields,
  };
}

interface Limits {
  readonly retryMs?: number;
  readonly statementMs?: number;
  readonly connectMs?: number;
  readonly maxConnections?: number;
  readonly objects?: ObjectStorage;
}

async function open({
  retryMs = 0,
  statementMs = 30_000,
  connectMs = 5000,
  maxConnections = 4,
  objects,
}: Limits = {}): Promise<Store> {
  const store = await createPostgresStore({
    objects,
    url: server.url(name),
    logger: createLogger('silent'),
    maxConnections,
    retryMs,
    timeouts: { connectMs, statementMs },
  });
  onTestFinished(() => store.close());
  return store;
}

/** @returns A function that releases the lock. */
async function lockTable(table: string): Promise<() => Promise<void>> {
  const lock = server
    .query(`begin; lock table ${table} in access exclusive mode; select pg_sleep(600)`, name)
    .catch(() => undefined);
  const isLocked = `select from pg_locks where granted and mode = 'AccessExclusiveLock' and relation = '${table}'::regclass`;
  await expect.poll(() => server.query(isLocked, name)).not.toEqual([]);
  return async () => {
    await server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`,
    );
    await lock;
  };
}

async function unavailability(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HearthError);
  expect(error).toMatchObject({ code: 'store_unavailable', status: 503, retryAfterSeconds: 5 });
  return (error as HearthError).message;
}

describe('while the database is away', () => {
  it('fails with 503, and works again on its own afterwards', async () => {
    const store = await open();
    const kept = response();
    await store.responses.insert(kept, []);
    await server.stop('immediate');
    expect(await unavailability(store.responses.find(kept.id, null))).toBe(
      'The database is not available: no server accepts connections there.',
    );
    await unavailability(store.ping());
    await unavailability(store.responses.insert(response(), []));
    await unavailability(store.conversations.delete('conv_x', null));
    await server.start();
    expect(await store.responses.find(kept.id, null)).toEqual(kept);
    await store.ping();
    expect(await store.responses.delete(kept.id, null)).toBe(true);
  });

  it.each(['without images', 'with an image in an object storage'])(
    'stores a response as soon as the database is back, %s',
    async (kind) => {
      const bucket = await startFakeBucket();
      const objects = await openObjectStorage(bucket.url, bucket.environment);
      const store = await open({ retryMs: 60_000, ...omitUndefined({ objects }) });
      await server.stop('fast');
      const late = response();
      const bytes = randomBytes(8);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const image = { sha256, mediaType: 'image/png', bytes };
      const images = kind === 'without images' ? [] : [image];
      const storing = store.responses.insert(late, images);
      await server.start();
      await storing;
      expect(await store.responses.find(late.id, null)).toEqual(late);
      expect([...bucket.objects.values()]).toEqual(images.map((each) => each.bytes));
    },
  );

  it('loses nothing that was acknowledged, however often the server crashes', async () => {
    const store = await open({ retryMs: 60_000 });
    const acknowledged: StoredResponse[] = [];
    const stopping = new AbortController();
    const write = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        const each = response();
        await store.responses.insert(each, []);
        acknowledged.push(each);
      }
    };
    const writers = Array.from({ length: 4 }, write);
    for (let round = 1; round <= 4; round += 1) {
      await expect.poll(() => acknowledged.length).toBeGreaterThan(round * 20);
      await server.stop(round % 2 === 0 ? 'fast' : 'immediate');
      await server.start();
    }
    stopping.abort();
    await Promise.all(writers);
    for (const each of acknowledged) {
      expect(await store.responses.find(each.id, null)).toEqual(each);
    }
    const rows = await server.query(
      `select id from responses where model_key = 'm' group by id having count(*) > 1`,
      name,
    );
    expect(rows).toEqual([]);
  });
});

describe('a connection that is lost', () => {
  const sessions = `from pg_stat_activity where application_name = 'hearth' and pid <> pg_backend_pid()`;

  it('is replaced when it is idle', async () => {
    const store = await open({ maxConnections: 1 });
    await store.ping();
    await server.query(`select pg_terminate_backend(pid) ${sessions}`);
    await expect.poll(() => store.ping().then(() => 'back')).toBe('back');
  });

  it('ends the statement that it runs with 503', async () => {
    const store = await open();
    const release = await lockTable('responses');
    const reading = unavailability(store.responses.find('resp_x', null));
    await expect
      .poll(() => server.query(`select ${sessions} and wait_event_type = 'Lock'`))
      .toHaveLength(1);
    await server.query(`select pg_terminate_backend(pid) ${sessions} and wait_event_type = 'Lock'`);
    expect(await reading).toContain('its server is stopping');
    await release();
    expect(await store.responses.find('resp_x', null)).toBeUndefined();
  });
});

describe('a database that is', () => {
  it('too slow fails with 503', async () => {
    const store = await open({ statementMs: 200 });
    const release = await lockTable('tokens');
    expect(await unavailability(store.tokens.list())).toContain('a statement took too long');
    await release();
    expect(await store.tokens.list()).toEqual([]);
  });

  it('slow has the time of each statement, if several are sent at once', async () => {
    const pool = await createConnectionPool({
      url: server.url(name),
      logger: createLogger('silent'),
      maxConnections: 1,
      timeouts: { connectMs: 5000, statementMs: 2000 },
    });
    onTestFinished(() => pool.end());
    const client = await pool.connect();
    // Together they take longer than the limit of one.
    const slow = Array.from({ length: 4 }, () => client.query('select pg_sleep(1.2)', []));
    const results = await Promise.allSettled(slow);
    client.release();
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
  });

  it('silent fails with 503, and is used again when it responds', async () => {
    const store = await open({ statementMs: 100, connectMs: 300 });
    await store.ping();
    await server.pause();
    try {
      expect(await unavailability(store.ping())).toMatch(
        /its server does not respond|the connection was lost/,
      );
    } finally {
      await server.resume();
    }
    await expect
      .poll(() =>
        store.ping().then(
          () => 'back',
          () => 'away',
        ),
      )
      .toBe('back');
  });

  it('read-only, as after a failover, fails with 503 and reads', async () => {
    const store = await open();
    const kept = response();
    await store.responses.insert(kept, []);
    const setReadOnly = async (value: string): Promise<void> => {
      await server.query(`alter system set default_transaction_read_only = ${value}`);
      await server.query('select pg_reload_conf()');
    };
    await setReadOnly('on');
    await expect.poll(() => store.ping().then(() => '', String)).toContain('read-only');
    expect(await unavailability(store.responses.insert(response(), []))).toContain('read-only');
    expect(await store.responses.find(kept.id, null)).toEqual(kept);
    await setReadOnly('off');
    await expect
      .poll(() =>
        store.ping().then(
          () => 'back',
          () => 'away',
        ),
      )
      .toBe('back');
    await store.responses.insert(response(), []);
  });

  it('busy lets work wait for a connection, and fails with 503 after a time', async () => {
    const store = await open({ maxConnections: 2, connectMs: 2000 });
    const many = Array.from({ length: 40 }, () => store.responses.insert(response(), []));
    await Promise.all(many);
    const release = await lockTable('tokens');
    const waiting = [1, 2].map(() => store.tokens.list());
    expect(await unavailability(store.ping())).toContain('no connection became free in time');
    await release();
    await Promise.all(waiting);
  });
});

describe('a full disk', () => {
  const disk = useSmallDisk(48 * 1024 * 1024);

  it('stores nothing of a failed write, and works again after space is freed', async () => {
    const folder = join(disk.path, 'space');
    await mkdir(folder);
    const { uid, gid } = await stat(server.folder);
    await chown(folder, uid, gid);
    await chmod(disk.path, 0o755);
    await server.query(`create tablespace small location '${folder}'`);
    await server.query('create database full_disk tablespace small');
    const store = await createPostgresStore({
      url: server.url('full_disk'),
      logger: createLogger('silent'),
    });
    onTestFinished(async () => {
      await store.close();
      await server.query('drop database full_disk');
      await server.query('drop tablespace small');
    });
    await disk.fill();
    const large = response({
      turn: conversationTurn({ systemPrompt: randomBytes(300_000).toString('hex') }),
    });
    const error: unknown = await store.responses
      .insert(large, [])
      .catch((thrown: unknown) => thrown);
    expect(describeStoreError(error)).toBe('the disk of the database is full');
    expect(isDiskFull(error)).toBe(true);
    expect(await store.responses.find(large.id, null)).toBeUndefined();
    await disk.free();
    await store.responses.insert(large, []);
    expect(await store.responses.find(large.id, null)).toEqual(large);
  });
});

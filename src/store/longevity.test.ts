import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { observeFlushes } from '../../test/setup/observe-flushes.ts';
import { recordedStoreFile } from '../../test/setup/store/recorded-store.ts';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openSqlite } from '../platform/sqlite.ts';
import { startMaintenance } from './maintenance.ts';
import { sqliteSchema } from './sqlite-dialect.ts';
import { prune } from './prune.ts';
import { restoreBackup } from './backup.ts';
import { LeaseKeeper } from './shared/lease-keeper.ts';
import { createSqliteStore, type SqliteStore } from './sqlite-store.ts';
import { StoreOpenError } from './store-errors.ts';
import type { Store } from './store.ts';

let file: string;
const { signal } = new AbortController();
const logger = createLogger('silent');
const day = 24 * 3600 * 1000;

beforeEach(async () => {
  file = join(await temporaryFolder(), 'hearth.db');
});

const open = (mayMigrate?: () => Promise<boolean>) =>
  createSqliteStore({ file, logger, ...(mayMigrate === undefined ? {} : { mayMigrate }) });

async function withStore<Result>(work: (store: SqliteStore) => Promise<Result>): Promise<Result> {
  const store = await open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

let count = 0;
/** Stores a conversation of one turn. */
async function say(store: Store, text: string, daysAgo = 0): Promise<string> {
  count += 1;
  const hex = count.toString(16).padStart(48, '0');
  await store.responses.insert(
    {
      id: `resp_${hex}`,
      parentId: null,
      ownerId: count % 2 === 0 ? 'me' : null,
      createdAt: new Date(Date.now() - daysAgo * day),
      modelKey: 'm',
      modelInstanceId: 'm',
      turn: conversationTurn({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
    },
    [],
  );
  return `conv_${hex}`;
}

function query(database: string, text: string): unknown {
  const connection = openSqlite(database, { isReadOnly: true });
  try {
    return connection.prepare(text).all();
  } finally {
    connection.close();
  }
}

/** Text that the index does not compress. */
const noise = (length: number, seed: number) =>
  Array.from({ length }, (_, index) =>
    ((index * 7919 + seed * 104_729) % 1_299_709).toString(36),
  ).join(' ');

describe('a new database', () => {
  it('shrinks after deletions, and keeps nothing of deleted texts', async () => {
    await withStore((store) => say(store, 'kept'));
    const { size } = await stat(file);
    await withStore(async (store) => {
      const ids: [string, string | null][] = [];
      for (let index = 0; index < 20; index += 1) {
        const id = await say(store, `unforgettable ${noise(1000, index)}`);
        ids.push([id, count % 2 === 0 ? 'me' : null]);
      }
      const { usedBytes } = await store.size();
      for (const [id, ownerId] of ids) await store.conversations.delete(id, ownerId);
      await store.reclaim(signal);
      const after = await store.size();
      expect(after.freeBytes).toBe(0);
      expect(after.usedBytes).toBeLessThan(usedBytes / 3);
      expect(await readFile(`${file}-wal`, 'latin1')).not.toContain('unforgettable');
    });
    expect((await stat(file)).size).toBeLessThan(1.1 * size);
    expect(await readFile(file, 'latin1')).not.toContain('unforgettable');
    expect(query(file, 'pragma auto_vacuum')).toEqual([{ auto_vacuum: 2 }]);
  });

  it('keeps nothing of deleted texts in its log once it is closed', async () => {
    await withStore(async (store) => {
      const id = await say(store, 'unforgettable');
      for (const ownerId of [null, 'me']) await store.conversations.delete(id, ownerId);
    });
    for (const part of [file, `${file}-wal`]) {
      const text = existsSync(part) ? await readFile(part, 'latin1') : '';
      expect(text).not.toContain('unforgettable');
    }
  });

  it('stops its maintenance when asked', async () => {
    await withStore(async (store) => {
      await say(store, 'old', 5);
      await expect(
        prune(store, { retentionDays: 1 }, AbortSignal.abort(new Error('stop'))),
      ).rejects.toThrow('stop');
      const leases = new LeaseKeeper({ leases: store.leases, holder: 'a', onError: () => {} });
      const maintenance = startMaintenance({
        store,
        leases,
        limits: { retentionDays: 1 },
        logger,
        intervalMs: 1,
      });
      await expect
        .poll(
          async () => (await store.conversations.page({ ownerId: null, limit: 9 })).conversations,
        )
        .toEqual([]);
      await maintenance.close();
    });
  });
});

it('leaves the maintenance to the process that does it', async () => {
  await withStore(async (store) => {
    const id = await say(store, 'old', 5);
    await store.leases.acquire('maintenance', 'other', 60_000);
    const keeper = new LeaseKeeper({ leases: store.leases, holder: 'a', onError: () => {} });
    let tries = 0;
    const leases = {
      take: async (name: string) => {
        const lease = await keeper.take(name);
        tries += 1;
        return lease;
      },
    };
    const limits = { retentionDays: 1 };
    const maintenance = startMaintenance({ store, leases, limits, logger, intervalMs: 1 });
    await expect.poll(() => tries).toBeGreaterThan(3);
    await maintenance.close();
    const pages = await Promise.all(
      [null, 'me'].map((ownerId) => store.conversations.page({ ownerId, limit: 9 })),
    );
    expect(pages.flatMap(({ conversations }) => conversations)).toMatchObject([{ id }]);
  });
});

describe('prune', () => {
  const left = async (store: Store) =>
    (
      await Promise.all(
        [null, 'me'].map((ownerId) => store.conversations.page({ ownerId, limit: 100 })),
      )
    ).flatMap(({ conversations }) => conversations.map(({ id }) => id));

  // covers server-22
  it('deletes what was not used for so many days, except pinned conversations', async () => {
    await withStore(async (store) => {
      const [pinned, old, older, recent] = [
        await say(store, 'a', 90),
        await say(store, 'b', 31),
        await say(store, 'c', 50),
        await say(store, 'd', 29),
      ];
      for (const ownerId of [null, 'me']) {
        await store.conversations.update(pinned, ownerId, { isPinned: true });
      }
      expect(await prune(store, { retentionDays: 30 }, signal)).toBe(2);
      const remaining = await left(store);
      expect(remaining.toSorted()).toEqual([pinned, recent].toSorted());
      expect(remaining).not.toContain(old);
      expect(remaining).not.toContain(older);
    });
  });

  // covers server-22
  it('deletes the least recently used conversations beyond a size', async () => {
    await withStore(async (store) => {
      const ids: string[] = [];
      for (let index = 0; index < 30; index += 1) {
        ids.push(await say(store, noise(2000, index), 30 - index));
      }
      const { usedBytes } = await store.size();
      const maxBytes = Math.floor(usedBytes / 2);
      const deleted = await prune(store, { maxBytes }, signal);
      expect(deleted).toBeGreaterThan(5);
      expect(deleted).toBeLessThan(25);
      expect((await store.size()).usedBytes).toBeLessThanOrEqual(maxBytes);
      expect((await left(store)).toSorted()).toEqual(ids.slice(deleted).toSorted());
      expect(await prune(store, { maxBytes: 1 }, signal)).toBe(30 - deleted);
      expect(await prune(store, {}, signal)).toBe(0);
    });
  });
});

describe('a migration', () => {
  beforeEach(() => copyFile(recordedStoreFile, file));
  const versionOf = (database: string) => query(database, 'select version from schema_version');

  it('leaves a backup of the older database', async () => {
    const before = versionOf(file);
    const rows = query(file, 'select * from responses order by id');
    await (await open()).close();
    const backup = `${file}.schema-${(before as { version: number }[])[0]?.version}.bak`;
    expect(versionOf(backup)).toEqual(before);
    expect(query(backup, 'select * from responses order by id')).toEqual(rows);
    expect(versionOf(file)).toEqual([{ version: sqliteSchema.version }]);
    // The recorded database is of an earlier version, and comes back.
    await restoreBackup(backup, file);
    expect(versionOf(file)).toEqual(before);
    await (await open()).close();
    expect(versionOf(file)).toEqual([{ version: sqliteSchema.version }]);
  });

  it.skipIf(process.platform === 'win32')(
    'leaves a backup that only the owner can read',
    async () => {
      const [{ version } = { version: 0 }] = versionOf(file) as { version: number }[];
      await (await open()).close();
      expect((await stat(`${file}.schema-${version}.bak`)).mode & 0o777).toBe(0o600);
    },
  );

  it('does not run under a server of an earlier version', async () => {
    const before = versionOf(file);
    await expect(open(async () => false)).rejects.toThrow(
      'a running server of an earlier version uses it. Stop that server, or restart it with this version.',
    );
    expect(versionOf(file)).toEqual(before);
    expect(existsSync(`${file}.schema-1.bak`)).toBe(false);
    await (await open(async () => true)).close();
    // Nothing is left to migrate.
    await (await open(async () => false)).close();
  });
});

describe('restoreBackup', () => {
  it('replaces the database and keeps it', async () => {
    const backup = `${file}.backup`;
    const flushed = new Set<number>();
    await observeFlushes((number) => flushed.add(number));
    await withStore(async (store) => {
      await say(store, 'in the backup');
      await store.backUp(backup);
      // The name of the backup survives a power loss; SQLite flushes its content.
      expect(flushed).toContain((await stat(dirname(backup))).ino);
      await say(store, 'after the backup');
    });
    const previous = await restoreBackup(backup, file);
    expect(query(file, 'select id from conversations')).toHaveLength(1);
    expect(query(previous ?? '', 'select id from conversations')).toHaveLength(2);
    await withStore(async (store) => {
      expect((await store.size()).usedBytes).toBeGreaterThan(0);
    });
  });

  it('leaves no part of a backup that fails', async () => {
    const target = `${file}.backup`;
    await mkdir(target);
    await withStore((store) => expect(store.backUp(target)).rejects.toThrow(/EISDIR|directory/));
    expect(existsSync(`${target}.part`)).toBe(false);
  });

  it('needs no database to replace', async () => {
    const backup = `${file}.backup`;
    await withStore((store) => store.backUp(backup));
    const elsewhere = `${file}.elsewhere`;
    expect(await restoreBackup(backup, elsewhere)).toBeUndefined();
    expect(query(elsewhere, 'select version from schema_version')).toHaveLength(1);
  });

  it.each([
    [
      "can't be used: it is damaged (",
      () => writeFile(`${file}.bad`, 'this is not a database '.repeat(99)),
    ],
    [
      "can't be used: it is not a database of Hearth (",
      async () => {
        const connection = openSqlite(`${file}.bad`);
        connection.exec('create table other (id)');
        connection.close();
      },
    ],
    [
      "can't be used: it was written by a newer Hearth (schema 99;",
      async () => {
        const connection = openSqlite(`${file}.bad`);
        connection.exec('create table schema_version (version)');
        connection.exec('insert into schema_version values (99)');
        connection.close();
      },
    ],
  ])('refuses what %s', async (reason, make) => {
    await (await open()).close();
    await make();
    const error: unknown = await restoreBackup(`${file}.bad`, file).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StoreOpenError);
    expect(String(error)).toContain(reason);
    await (await open()).close();
  });
});

it('is rewritten without unused space', async () => {
  await withStore(async (store) => {
    const id = await say(store, noise(5000, 1));
    for (const ownerId of [null, 'me']) await store.conversations.delete(id, ownerId);
    await store.rewrite();
    expect((await store.size()).freeBytes).toBe(0);
    await say(store, 'found again');
    const ownerId = count % 2 === 0 ? 'me' : null;
    const { conversations } = await store.conversations.page({
      ownerId,
      limit: 9,
      search: 'again',
    });
    expect(conversations).toHaveLength(1);
  });
});

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../src/telemetry/logger.ts';
import { serverTimeouts } from '../../src/store/postgres/connection-pool.ts';
import { assertSupported, createPostgresDatabase } from '../../src/store/postgres/open-database.ts';
import { postgresSchema } from '../../src/store/postgres/postgres-dialect.ts';
import { createPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreOpenError } from '../../src/store/store-errors.ts';
import { lockedUser, startPostgres } from '../setup/postgres/postgres-server.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';
import { noLimits } from '../../src/store/shared/rate-limit-repository.ts';

const server = useResource(() => startPostgres({ log_min_messages: 'error' }));

const logged: string[] = [];
const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
const open = (url: string, waitMs = 0) => createPostgresStore({ url, logger, waitMs });

async function failureOf(url: string): Promise<string> {
  const error: unknown = await open(url).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreOpenError);
  return (error as StoreOpenError).message;
}

let count = 0;
async function newDatabase(options = ''): Promise<string> {
  count += 1;
  const name = `opening_${count}`;
  await server.query(`create database ${name} ${options}`);
  return name;
}

/** SQL that reverts the tables to the last schema with which servers could not share a database. */
const toSchema2 = `
  drop table tool_approvals, waiting_calls, discarded_objects, leases, deletions, background_turns, background_events, rate_limits;
  alter table blobs drop column object_key;
  alter table downloads drop column home_id;
  alter table tokens drop column requests_per_minute, drop column tokens_per_minute;
  alter table batches add column lease_holder text, add column lease_until text;
  update schema_version set version = 2`;

describe('a database that is opened', () => {
  it('is migrated once by several processes that start at the same time', async () => {
    const name = await newDatabase();
    logged.length = 0;
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(server.url(name))));
    expect(logged.filter((line) => line.includes('schema migrated'))).toHaveLength(1);
    expect(await server.query('select version from schema_version', name)).toEqual([
      { version: postgresSchema.version },
    ]);
    await Promise.all(stores.map((store) => store.close()));
    await (await open(server.url(name))).close();
    expect(logged.filter((line) => line.includes('schema migrated'))).toHaveLength(1);
  });

  it('keeps its batches, tokens and downloads, which belong to the first server, when servers share it', async () => {
    const name = await newDatabase();
    const url = server.url(name);
    await (await open(url)).close();
    await server.query(toSchema2, name);
    await server.query(
      `insert into batches (id, status, endpoint, input_file_id, errors, total_count, completed_count, failed_count,
         created_at, expires_at, lease_holder, lease_until)
       values ('batch_a', 'in_progress', '/v1/embeddings', 'file-a', '[]', 1, 0, 0, '2026', '2027', 'gone', '2026');
       insert into tokens (id, name, permissions, secret_hash, created_at) values ('a', 'a', '[]', '00', '2026-01-01');
       insert into downloads (id, plan, status, is_paused_by_user, total_bytes, downloaded_bytes, started_at)
       values ('job_a', '{}', 'paused', 1, 1, 0, '2026-01-01')`,
      name,
    );
    const first = await createPostgresStore({ url, logger, homeId: 'first' });
    const second = await createPostgresStore({ url, logger, homeId: 'second' });
    expect(
      await second.batches.claim('batch_a', 'second', new Date(Date.now() + 60_000)),
    ).toMatchObject({ status: 'in_progress' });
    expect(await first.batches.claim('batch_a', 'first', new Date())).toBeUndefined();
    expect(await second.tokens.find('a')).toMatchObject({
      rateLimits: noLimits,
      modelScope: null,
      priority: 'normal',
    });
    expect(await first.downloads.list()).toMatchObject([{ id: 'job_a' }]);
    expect(await second.downloads.list()).toEqual([]);
    expect(await second.downloads.find('job_a')).toBeUndefined();
    expect(await second.downloads.delete('job_a')).toBe(false);
    await Promise.all([first.close(), second.close()]);
  });

  it.each([
    [1, `${toSchema2}; drop table files, file_chunks, batches, batch_lines`],
    [2, toSchema2],
  ])('gets the tables of a new one from schema %i', async (version, undo) => {
    const [older, fresh] = [await newDatabase(), await newDatabase()];
    for (const name of [older, fresh]) await (await open(server.url(name))).close();
    await server.query(`${undo}; update schema_version set version = ${version}`, older);
    await (await open(server.url(older))).close();
    expect(await server.query('select version from schema_version', older)).toEqual([
      { version: postgresSchema.version },
    ]);
    for (const structure of [
      `select table_name, column_name, data_type, collation_name, is_nullable, column_default
       from information_schema.columns where table_schema = 'public' order by 1, 2`,
      `select tablename, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`,
    ]) {
      expect(await server.query(structure, older)).toEqual(await server.query(structure, fresh));
    }
  });

  it('is refused and unchanged if a newer Hearth wrote it', async () => {
    const name = await newDatabase();
    await (await open(server.url(name))).close();
    await server.query('update schema_version set version = 99', name);
    expect(await failureOf(server.url(name))).toContain(
      `it was written by a newer Hearth (schema 99; this one knows up to ${postgresSchema.version}). Install that version again, or use another database.`,
    );
    expect(await server.query('select version from schema_version', name)).toEqual([
      { version: 99 },
    ]);
  });

  it('needs UTF-8', async () => {
    const name = await newDatabase(`template template0 encoding 'SQL_ASCII'`);
    expect(await failureOf(server.url(name))).toContain('its encoding is SQL_ASCII. Create one');
  });

  it('needs a server of a version with trusted extensions', () => {
    expect(() => assertSupported({ version: 120_022, encoding: 'UTF8' })).toThrow(
      'its server is PostgreSQL 12. Hearth needs 13 or later',
    );
    expect(() => assertSupported({ version: 130_000, encoding: 'UTF8' })).not.toThrow();
  });

  it('needs the extension pg_trgm, or the right to create it', async () => {
    const name = await newDatabase();
    await server.query(`grant all on schema public to ${lockedUser}`, name);
    const url = server.url(name, lockedUser);
    expect(await failureOf(url)).toMatch(
      /the search needs the extension pg_trgm \(permission denied to create extension "pg_trgm"\)\. Install .*`create extension pg_trgm`/,
    );
    await server.query('create extension pg_trgm', name);
    await (await open(url)).close();
  });

  it('needs the right to create tables', async () => {
    const name = await newDatabase();
    expect(await failureOf(server.url(name, lockedUser))).toMatch(
      /its user lacks a right \(permission denied for schema public\)\. Make the user its owner/,
    );
  });

  it('serves a user who may not create tables once it is migrated', async () => {
    const name = await newDatabase();
    await (await open(server.url(name))).close();
    await server.query(`grant all on all tables in schema public to ${lockedUser}`, name);
    const store = await open(server.url(name, lockedUser));
    await store.ping();
    expect(await store.tokens.list()).toEqual([]);
    await store.close();
  });

  it.each([
    ['an unknown database', () => server.url('nowhere'), /"nowhere" does not exist\. Create it/],
    [
      'an unknown user',
      () => server.url('postgres', 'nobody'),
      /role "nobody" does not exist\. Check the user and the password/,
    ],
    [
      'no server',
      () => 'postgres://me:geheim@127.0.0.1:1/db?sslmode=disable&password=geheim',
      /ECONNREFUSED.*\. Check that its server runs/,
    ],
    ['an unknown host', () => 'postgres://me:geheim@host.invalid/db', /host\.invalid/],
  ])('names the remedy for %s, without the password', async (_case, url, message) => {
    const failure = await failureOf(url());
    expect(failure).toMatch(message);
    expect(failure).toContain('The database postgres://***@');
    expect(failure).not.toContain('geheim');
  });

  it('is waited for', async () => {
    const name = await newDatabase();
    await server.stop('fast');
    logged.length = 0;
    const opening = open(server.url(name), 30_000);
    await expect.poll(() => logged.join('')).toContain('waiting for the database');
    await server.start();
    const store = await opening;
    await store.ping();
    await store.close();
  });
});

/** Starts a pooler in front of the server; its connections pretend to be other processes. Returns its folder. */
async function startPooler(): Promise<string> {
  const folder = await temporaryFolder();
  const pooler = createServer((client) => {
    const connection = connect(join(server.folder, '.s.PGSQL.5432'));
    connection.on('data', (data) => {
      const key = data.indexOf('K\0\0\0\f');
      if (key !== -1) data.writeInt32BE(data.readInt32BE(key + 5) + 1, key + 5);
      client.write(data);
    });
    client.on('data', (data) => connection.write(data));
    client.on('close', () => connection.destroy());
    connection.on('close', () => client.destroy());
  });
  pooler.listen(join(folder, '.s.PGSQL.5432'));
  await once(pooler, 'listening');
  onTestFinished(() => void pooler.close());
  return folder;
}

const openDatabase = (folder = server.folder) =>
  createPostgresDatabase({
    url: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    logger,
    maxConnections: 1,
    timeouts: serverTimeouts,
  });

it('prepares what it often runs, but not on the connections of a pooler', async () => {
  const preparedBehind = async (folder: string) => {
    const database = openDatabase(folder);
    for (let run = 0; run < 5; run += 1) {
      await sql`select ${run}::integer`.execute(database);
      await sql`select * from generate_series(1, ${run}::integer)`.execute(database);
    }
    const { rows } = await sql`select statement from pg_prepared_statements`.execute(database);
    await database.destroy();
    return rows;
  };
  expect(await preparedBehind(server.folder)).toEqual([{ statement: 'select $1::integer' }]);
  expect(await preparedBehind(await startPooler())).toEqual([]);
});

it('sends the statements of a transaction at once, whose failure is that of the first one', async () => {
  const database = openDatabase();
  onTestFinished(() => database.destroy());
  const seen: string[] = [];
  const query = vi.spyOn(Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const failures = await database
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      query.mockClear();
      const slow = sql`select pg_sleep(0.1)`.execute(transaction);
      const broken = sql`select 1 / 0`.execute(transaction);
      const last = sql`select 1`.execute(transaction);
      await slow;
      seen.push(...query.mock.calls.map(([config]) => Reflect.get(Object(config), 'text')));
      return Promise.allSettled([broken, last]);
    });
  expect(seen).toEqual(['select pg_sleep(0.1)', 'select 1 / 0', 'select 1']);
  const reasons = failures.map((result) => result.status === 'rejected' && String(result.reason));
  expect(reasons).toEqual(Array(2).fill('error: division by zero'));
});

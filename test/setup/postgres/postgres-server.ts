import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { errorCode } from '../../../src/kernel/error-code.ts';
import { makeFolder, removeFolder } from '../temporary-folder.ts';

/** A PostgreSQL server for tests, with a socket in a temporary folder. */
export interface PostgresServer {
  /** Folder of the socket. */
  readonly folder: string;
  /** The URL of a database. */
  url(database: string, user?: string): string;
  /** Runs one statement as the superuser. */
  query(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts the server again after `stop`. */
  start(): Promise<void>;
  /** `fast` ends all sessions. `immediate` does not even write memory to the disk, like a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Suspends all of its processes. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** A role that exists on every server and needs the password `secret`. */
export const lockedUser = 'locked';

/** Starts a new server. If the tests run as root, it runs as the user `postgres`, since PostgreSQL refuses root. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const programs = await findPrograms();
  const account = await serverAccount();
  const folder = await makeFolder();
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? account.uid);
  const data = join(folder, 'data');
  const run = (program: string, parameters: readonly string[]): ChildProcess =>
    spawn(join(programs, program), parameters, {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
  await finished(
    run('initdb', [
      '--pgdata',
      data,
      '--username=postgres',
      '--auth=trust',
      '--no-sync',
      '--encoding=UTF8',
      // The simplest locale: what works with it works with all.
      '--locale=C',
    ]),
  );

  let server: ChildProcess | undefined;
  let log = '';
  const url = (database: string, user = 'postgres') =>
    `postgres://${user}@/${database}?host=${encodeURIComponent(folder)}`;
  const query: PostgresServer['query'] = async (text, database = 'postgres') => {
    const client = new Client({ connectionString: url(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(text);
      return result.rows;
    } finally {
      await client.end();
    }
  };
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const pid = server?.pid ?? 0;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const each of [pid, ...children.trim().split(' ').map(Number)]) {
      try {
        process.kill(each, signal);
      } catch (error) {
        // The process of a connection may have ended in the meantime.
        if (errorCode(error) !== 'ESRCH') throw error;
      }
    }
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    const stopping = server;
    if (stopping === undefined) return;
    server = undefined;
    const exit = once(stopping, 'exit');
    stopping.kill(signal);
    await exit;
  };
  const start = async (): Promise<void> => {
    const all = { listen_addresses: '', fsync: 'off', max_connections: '60', ...settings };
    const parameters = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const started = run('postgres', ['-D', data, '-k', folder, ...parameters]);
    server = started;
    log = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
    await waitUntilReady(
      () => query('select'),
      () => started.exitCode === null,
      () => log,
    );
  };
  await start();
  await query(`create role ${lockedUser} login password 'secret'`);
  return {
    folder,
    url,
    query,
    start,
    stop: (mode) => stop(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    close: async () => {
      await stop('SIGQUIT');
      await removeFolder(folder);
    },
  };
}

async function waitUntilReady(
  connect: () => Promise<unknown>,
  isRunning: () => boolean,
  log: () => string,
): Promise<void> {
  while (isRunning()) {
    try {
      await connect();
      return;
    } catch {
      await delay(20);
    }
  }
  throw new Error(`PostgreSQL did not start:\n${log()}`);
}

/** Finds the folder of PostgreSQL's programs, which Debian keeps outside of the `PATH`. */
async function findPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? await readdir(debian) : [];
  const folders = [
    ...versions
      .toSorted((one, other) => Number(other) - Number(one))
      .map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (found !== undefined) return found;
  throw new Error('These tests need PostgreSQL. On Debian: apt-get install postgresql');
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

async function serverAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const accounts = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(accounts) ?? [];
  if (uid === undefined) {
    throw new Error('PostgreSQL does not run as root, and there is no user "postgres".');
  }
  return { uid: Number(uid), gid: Number(gid) };
}

async function finished(child: ChildProcess): Promise<void> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} failed:\n${log}`);
}

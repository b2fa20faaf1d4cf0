import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acquireHomeLock } from '../../src/platform/home/home-lock.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { createSqliteStore } from '../../src/store/sqlite-store.ts';
import type { WriterReport } from './writer.ts';
import { seededRandom } from '../setup/seeded-random.ts';

let folder: string;
let writerFile: string;
const writers = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearth-kill-'));
  writerFile = join(folder, 'writer.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'writer.ts')],
    outfile: writerFile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
});
afterAll(async () => {
  for (const writer of writers) writer.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

it('loses nothing that was reported, however often the process is killed', async () => {
  const home = join(folder, 'home');
  const inserted = new Set<string>();
  const deleting = new Set<string>();
  const deleted = new Set<string>();
  const sets = { inserted, deleting, deleted };
  const random = seededRandom();
  for (let round = 0; round < 10; round += 1) {
    const writer = await startWriter(home);
    const isOver = once(writer, 'close');
    let remaining = Math.ceil(random() * 60);
    writer.on('message', ({ kind, id }: WriterReport) => {
      if (kind in sets) sets[kind as keyof typeof sets].add(id);
      remaining -= 1;
      // A random delay, so that the kill may hit any moment of the turn.
      if (remaining === 0) void delay(random() * 5).then(() => writer.kill('SIGKILL'));
    });
    writer.send('start');
    expect(await isOver).toEqual([null, 'SIGKILL']);
    await assertWhole(home, inserted, deleting, deleted);
  }
  expect(inserted.size).toBeGreaterThan(10);
});

it('lets exactly one of several concurrent processes use the home folder', async () => {
  const home = join(folder, 'contested');
  const started = await Promise.allSettled(Array.from({ length: 6 }, () => startWriter(home)));
  const holders = started.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  expect(holders).toHaveLength(1);
  await expect(acquireHomeLock(home)).rejects.toThrow('already uses the home folder');
  for (const holder of holders) {
    holder.kill('SIGKILL');
    await once(holder, 'close');
  }
  (await acquireHomeLock(home)).release();
});

/** Rejects if the writer can't open the home folder. */
async function startWriter(home: string): Promise<ChildProcess> {
  const writer = fork(writerFile, [home]);
  writers.add(writer);
  writer.once('close', () => writers.delete(writer));
  const [report] = (await once(writer, 'message')) as [WriterReport];
  if (report.kind !== 'ready') throw new Error('refused');
  return writer;
}

async function assertWhole(
  home: string,
  inserted: ReadonlySet<string>,
  deleting: ReadonlySet<string>,
  deleted: ReadonlySet<string>,
): Promise<void> {
  const lock = await acquireHomeLock(home);
  const file = join(home, 'hearth.db');
  const store = await createSqliteStore({ file, logger: createLogger('silent') });
  for (const id of inserted) {
    const chain = await store.responses.chain(id, null);
    // A deletion that was not reported may or may not have taken place.
    expect(chain === undefined ? deleting : inserted).toContain(id);
    if (chain === undefined) continue;
    expect(deleted).not.toContain(id);
    expect(chain.responses[0]?.parentId).toBeNull();
    const response = chain.responses.at(-1);
    expect(response).toMatchObject({
      id,
      turn: {
        systemPrompt: id,
        instructions: response?.parentId,
        items: [{ type: 'message', text: id.repeat(40) }],
      },
    });
    const [image] = response?.turn.messages[0]?.content ?? [];
    if (image?.type !== 'image') throw new Error(`${id} has lost its image`);
    const blob = await store.blobs.find(image.sha256);
    expect(
      createHash('sha256')
        .update(blob?.bytes ?? '')
        .digest('hex'),
    ).toBe(image.sha256);
  }
  await store.close();
  assertSound(file);
  lock.release();
}

function assertSound(file: string): void {
  const database = openSqlite(file, { isReadOnly: true });
  const rows = (sql: string) => database.prepare(sql).all();
  const count = (from: string) => rows(`select count(*) as count from ${from}`);
  expect(rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(rows('pragma foreign_key_check')).toEqual([]);
  expect(count('blobs where sha256 not in (select sha256 from response_blobs)')).toEqual([
    { count: 0 },
  ]);
  const parents = 'select parent_id from responses where parent_id is not null';
  expect(count(`responses where deleted_at is not null and id not in (${parents})`)).toEqual([
    { count: 0 },
  ]);
  database.close();
}

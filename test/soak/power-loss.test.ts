import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { conversationExportSchema } from '../../src/api/v1/conversations/conversation-export-schema.ts';
import { readOwnerToken } from '../../src/platform/home/owner-token.ts';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { whyNotPreloaded } from '../setup/preload-library.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { get, post, postRaw } from '../setup/server/api.ts';
import { startHearth, type HearthProcess } from '../setup/server/hearth-process.ts';
import { makeFolder, removeFolder, temporaryFolder } from '../setup/temporary-folder.ts';
import { drillSize, report } from './drill.ts';
import { losePower } from './power/lose-power.ts';
import { numberedFiles, readNumber } from './power/numbered-changes.ts';
import { createRecorder, type Recorder } from './power/recorder.ts';
import type { LogEntry } from './power/write-log.ts';

/** Long form: `npm run soak -- power-loss --count 2000` */
const { count: losses } = drillSize({ count: 60 });
/** Not after every loss, since starting a server takes longer than the other checks. */
const startEvery = Math.max(20, Math.ceil(losses / 40));
const rounds = 120;

const missing = whyNotPreloaded();
if (missing !== undefined) console.warn(`POWER LOSSES ARE NOT TESTED: ${missing}.`);

/** An acknowledged write, and the size of the log when the server acknowledged it. */
interface Acknowledged {
  readonly what: string;
  readonly number: number;
  readonly at: number;
}

it.skipIf(missing !== undefined)(
  `keeps what it promises in ${losses} losses of power`,
  { timeout: 180_000 + losses * 3000 },
  async () => {
    const random = seededRandom();
    const home = await temporaryFolder();
    const recorder = createRecorder(home, await temporaryFolder());
    const hearth = await startHearth(home, recorder.options);
    const acknowledged = await write(hearth, recorder);
    await hearth.stop();
    const entries = await recorder.entries();
    const end = entries.at(-1)?.position ?? 0;
    const model = await readFile(starterPath('embed'));
    let undone = 0;

    for (let loss = 0; loss < losses; loss += 1) {
      // Half of the losses are right after a rename, a deletion or a flush.
      const near = entries[Math.floor(random() * entries.length)]?.position ?? 0;
      const change = entries.find(
        ({ operation, position }) => position >= near && operation !== 'write',
      );
      const at = random() < 0.5 ? Math.floor(random() * end) : (change?.position ?? end);
      const lost = await makeFolder();
      try {
        await restore(losePower({ entries, at, random }), home, lost);
        undone += await assertDatabase(lost, entries, acknowledged, at);
        await assertFiles(lost, acknowledged, at);
        await assertModels(lost, model, acknowledged, at);
        if (loss % startEvery === 0) await assertStarts(lost);
      } catch (error) {
        throw new Error(`loss ${loss} at byte ${at} of the log: ${String(error)}`, {
          cause: error,
        });
      } finally {
        await removeFolder(lost);
      }
    }
    expect(acknowledged.length).toBeGreaterThan(rounds);
    report(
      `power-loss: ${losses} losses in ${entries.length} changes of files; ` +
        `${acknowledged.length} writes acknowledged; ${(undone / losses).toFixed(1)} commits undone each`,
    );
  },
);

const longText = 'x'.repeat(100_000);
const [exported] = (conversationExportSchema.meta()?.examples ?? []) as {
  readonly responses: readonly { readonly turn: object }[];
}[];

/** Makes one write after the other. The log of the database reaches its limit every 40 rounds, which causes checkpoints. */
async function write(hearth: HearthProcess, recorder: Recorder): Promise<readonly Acknowledged[]> {
  const { url, home } = hearth;
  const headers = { authorization: `Bearer ${(await readOwnerToken(home)) ?? ''}` };
  const [first] = exported?.responses ?? [];
  const turn = { ...first?.turn, items: [{ type: 'message', text: longText }] };
  const model = await readFile(starterPath('embed'));
  const acknowledged: Acknowledged[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const expectOk = async (what: string, answer: { status: number; body?: unknown }) => {
      expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBe(200);
      acknowledged.push({ what, number, at: await recorder.position() });
    };
    const conversation = { ...exported, title: `${number}`, responses: [{ ...first, turn }] };
    const path = '/api/v1/conversations/import';
    await expectOk('conversation', await post(url, path, conversation, { headers }));
    const file = numberedFiles[number % 6];
    if (file !== undefined) {
      const init = { method: file.method, headers };
      await expectOk(file.name, await post(url, file.path, file.body(number), init));
    }
    if (number % 10 === 0) {
      const target = `/api/v1/models/files/local/model-${number}/model-Q8_0.gguf`;
      const upload = {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
      };
      await expectOk('model', await postRaw(url, target, model, upload));
    }
  }
  return acknowledged;
}

async function restore(
  files: ReadonlyMap<string, Buffer>,
  home: string,
  folder: string,
): Promise<void> {
  for (const [path, bytes] of files) {
    const target = join(folder, path.slice(home.length + 1));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}

/**
 * Checks that the database is sound and has the first commits without a gap, at least those before the last flush of
 * its log (docs/adr/0003-sqlite-synchronous-normal.md).
 *
 * @returns The number of acknowledged commits that were lost.
 */
async function assertDatabase(
  home: string,
  entries: readonly LogEntry[],
  acknowledged: readonly Acknowledged[],
  at: number,
): Promise<number> {
  const database = openSqlite(join(home, 'hearth.db'), { isReadOnly: false });
  try {
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('pragma foreign_key_check').all()).toEqual([]);
    const tables = database.prepare("select 1 from sqlite_master where name = 'conversations'");
    const rows =
      tables.all().length === 0
        ? []
        : (database.prepare('select title from conversations').all() as { title: string }[]);
    const found = rows.map(({ title }) => Number(title)).toSorted((one, other) => one - other);
    expect(found).toEqual(found.map((_, index) => index + 1));
    const flushedAt = flushedBefore(entries, /hearth\.db-wal$/, at);
    const before = acknowledged.filter(({ what }) => what === 'conversation');
    const promised = before.filter((one) => one.at <= flushedAt).length;
    expect(found.length).toBeGreaterThanOrEqual(promised);
    return Math.max(0, before.filter((one) => one.at <= at).length - found.length);
  } finally {
    database.close();
  }
}

/** Position in the log at which the last flush of a file began. */
function flushedBefore(entries: readonly LogEntry[], path: RegExp, at: number): number {
  let file = 0n;
  let flushed = 0;
  for (const entry of entries) {
    if (entry.position > at) break;
    if (entry.operation === 'create' && path.test(entry.path)) ({ file } = entry);
    if (entry.operation === 'sync' && entry.file === file) flushed = entry.offset;
  }
  return flushed;
}

/** Checks that each file is whole, and has its last acknowledged change or the one in progress. */
async function assertFiles(
  home: string,
  acknowledged: readonly Acknowledged[],
  at: number,
): Promise<void> {
  for (const file of numberedFiles) {
    const numbers = acknowledged.filter(({ what }) => what === file.name);
    const last = numbers.findLast((one) => one.at <= at)?.number ?? 0;
    const next = numbers.find((one) => one.at > at)?.number ?? last;
    expect([last, next], file.name).toContain(await readNumber(home, file));
  }
}

/** Checks that each model with an acknowledged upload exists, and that every existing model is whole. */
async function assertModels(
  home: string,
  expected: Buffer,
  acknowledged: readonly Acknowledged[],
  at: number,
): Promise<void> {
  for (const upload of acknowledged.filter(({ what }) => what === 'model')) {
    const path = join(home, `models/local/model-${upload.number}/model-Q8_0.gguf`);
    const bytes = await readFile(path).catch(() => undefined);
    const isKept = bytes === undefined ? upload.at > at : bytes.equals(expected);
    expect(isKept, `${path} is lost or not whole`).toBe(true);
  }
}

async function assertStarts(home: string): Promise<void> {
  const hearth = await startHearth(home, {});
  try {
    expect((await get(hearth.url, '/ready')).status).toBe(200);
  } finally {
    await hearth.stop();
  }
}

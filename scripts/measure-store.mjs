// Measures how long conversations and large databases slow down other requests: npm run measure-store -- --help
import { createHash } from 'node:crypto';
import { existsSync, openSync, readSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const usage = `Usage: npm run measure-store -- [--package FOLDER] [--runtimes FOLDER] [--turns N] [--migrate N]

  --package FOLDER  a built checkout of Hearth to measure; this one by default
  --runtimes FOLDER a folder with an installed engine; ~/.hearth/runtimes by default
  --turns N         turns of the long conversation, 10000 by default; 0 leaves it out
  --migrate N       responses of the database of 0.1.0 that is migrated, 100000 by default; 0 leaves it out`;

const project = join(import.meta.dirname, '..');
const recordedStore = join(project, 'test/fixtures/stores/0.1.0.db');
const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');
const model = 'hearth/starter-chat';
/** Length of a question in characters. */
const textLength = 2000;

const { values } = parseArgs({
  options: {
    package: { type: 'string', default: project },
    runtimes: { type: 'string', default: join(homedir(), '.hearth/runtimes') },
    turns: { type: 'string', default: '10000' },
    migrate: { type: 'string', default: '100000' },
    help: { type: 'boolean', default: false },
  },
});

/** Ids are random, so that their index has another order than the rows. */
const idOf = (index) =>
  `resp_${createHash('sha256').update(String(index)).digest('hex').slice(0, 48)}`;

const syllables = ['ba', 'den', 'for', 'ing', 'lo', 'mer', 'ni', 'per', 'sta', 'tion', 'ver', 'wo'];

/** A question with words of two or three syllables, different in each question. */
function text(index, length = textLength) {
  let words = `Note ${index}:`;
  for (let seed = index + 1; words.length < length;) {
    seed = (seed * 16_807) % 2_147_483_647;
    const parts = [seed, seed >> 8, seed >> 16].slice(0, 2 + (seed % 2));
    words += ` ${parts.map((part) => syllables[part % syllables.length]).join('')}`;
  }
  return words;
}

/** Writes a database of 0.1.0 whose conversations have `turns` turns each. */
async function writeDatabase(file, count, turns) {
  await copyFile(recordedStore, file);
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = off; begin');
  database.exec('delete from response_blobs; delete from blobs; delete from responses');
  const insert = database.prepare(
    `insert into responses (id, parent_id, owner_id, created_at, deleted_at, model_key, model_instance_id, content)
     values (?, ?, null, ?, null, ?, ?, ?)`,
  );
  const firstTime = Date.UTC(2026, 0, 1);
  for (let index = 0; index < count; index += 1) {
    const content = {
      systemPrompt: index % turns === 0 ? 'Be brief.' : null,
      input: [{ type: 'text', content: text(index) }],
      output: [{ type: 'message', content: 'I will remember it.' }],
      stats: {
        input_tokens: 3,
        total_output_tokens: 5,
        reasoning_output_tokens: 0,
        tokens_per_second: 2.5,
        time_to_first_token_seconds: 0.25,
      },
    };
    insert.run(
      idOf(index),
      index % turns === 0 ? null : idOf(index - 1),
      new Date(firstTime + index * 1000).toISOString(),
      model,
      model,
      JSON.stringify(content),
    );
  }
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
}

/** Runs an operation; returns its duration, and the longest time in ms for which the event loop was blocked. */
async function measure(work) {
  globalThis.gc?.();
  await delay(100);
  const loop = watchLoop();
  await delay(20);
  loop.reset();
  const startedAt = performance.now();
  const result = await work();
  const totalMs = performance.now() - startedAt;
  await delay(5);
  return { result, totalMs, ...loop.stop() };
}

const tickMs = 1;

/**
 * Measures the longest time for which the event loop was blocked, with and without the time in which other threads had
 * the CPUs.
 */
function watchLoop() {
  let longestMs = 0;
  let longestOwnMs = 0;
  let last = performance.now();
  let lastWaitMs = waitedMs();
  const timer = setInterval(() => {
    const [now, waitMs] = [performance.now(), waitedMs()];
    const stopMs = now - last - tickMs;
    longestMs = Math.max(longestMs, stopMs);
    longestOwnMs = Math.max(longestOwnMs, stopMs - (waitMs - lastWaitMs));
    [last, lastWaitMs] = [now, waitMs];
  }, tickMs);
  return {
    reset: () => {
      [longestMs, longestOwnMs] = [0, 0];
    },
    stop: () => {
      clearInterval(timer);
      return { longestMs, longestOwnMs };
    },
  };
}

/** Time for which this thread was ready to run but waited for a CPU; 0 if unknown. */
const schedule = existsSync('/proc/thread-self/schedstat')
  ? openSync('/proc/thread-self/schedstat')
  : undefined;
const scheduleText = Buffer.alloc(128);
function waitedMs() {
  if (schedule === undefined) return 0;
  const length = readSync(schedule, scheduleText, 0, scheduleText.length, 0);
  // https://docs.kernel.org/scheduler/sched-stats.html: time on the CPU, time in the queue, in ns.
  return Number(scheduleText.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

function print(label, { result, totalMs, longestMs, longestOwnMs }) {
  const note = typeof result === 'string' ? result : '';
  const times = [totalMs.toFixed(0), longestMs.toFixed(1), longestOwnMs.toFixed(1)];
  console.log(
    `${label.padEnd(52)} ${times.map((ms) => `${ms.padStart(8)} ms`).join(' ')}  ${note}`,
  );
}

async function withHome(work) {
  const home = await mkdtemp(join(tmpdir(), 'hearth-measure-'));
  try {
    await symlink(resolve(values.runtimes), join(home, 'runtimes'), 'junction');
    await work(home, join(home, 'hearth.db'));
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function launch(startServer, home, onProgress = () => {}) {
  return startServer({
    home,
    environment: { ...process.env, HEARTH_LOG_LEVEL: 'silent', HEARTH_WARM_MAX_BYTES: '0' },
    flags: { 'server.port': 0, 'log.level': 'silent' },
    onProgress,
  });
}

async function send(url, method, path, body) {
  // oxlint-disable-next-line no-restricted-globals -- a client, which reaches its own server
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** The effects of a turn, for the table. */
function outcomeOf({ status, body }) {
  if (status === 200) return `200, dropped turns: ${body.dropped_turns ?? 0}`;
  return `${status} ${body.error?.code ?? ''}`;
}

async function measureConversation(startServer, turns) {
  await withHome(async (home, file) => {
    await writeDatabase(file, turns, turns);
    let server = await launch(startServer, home);
    let tip = idOf(turns - 1);
    const say = (fields) =>
      send(server.url, 'POST', '/api/v1/chat', {
        model,
        input: 'And now?',
        max_output_tokens: 8,
        ...fields,
      });
    const warmUp = async () => {
      for (let count = 0; count < 5; count += 1) await say({ store: false });
    };
    await whenIndexed(server.url);
    await warmUp();
    print(
      'a turn without a conversation',
      await measure(async () => outcomeOf(await say({ store: false }))),
    );
    const label = `a turn on ${turns} turns`;
    print(label, await measure(async () => outcomeOf(await say({ previous_response_id: tip }))));
    print(
      `${label}, again`,
      await measure(async () => outcomeOf(await say({ previous_response_id: tip }))),
    );
    for (const name of ['first', 'second', 'third']) {
      const measured = await measure(async () => {
        const answer = await say({ previous_response_id: tip, truncation: 'auto' });
        tip = answer.body.response_id ?? tip;
        return outcomeOf(answer);
      });
      print(`${label}, truncation: auto, ${name}`, measured);
    }
    await importText(server.url, text(0));
    const longText = text(1, 256 * 1024);
    print(
      'store a text of 256 KB',
      await measure(async () => String((await importText(server.url, longText)).status)),
    );
    await server.close();
    makeTombstones(file, tip);
    server = await launch(startServer, home);
    await warmUp();
    print(
      `delete a response under ${turns - 1} deleted ones`,
      await measure(async () =>
        String((await send(server.url, 'DELETE', `/api/v1/responses/${tip}`)).status),
      ),
    );
    await server.close();
  });
}

/** Stores a conversation with one turn. */
function importText(url, question) {
  const message = { role: 'user', content: [{ type: 'text', text: question }] };
  return send(url, 'POST', '/api/v1/conversations/import', {
    format: 'hearth.conversation',
    version: 1,
    title: 'A long text',
    responses: [
      {
        response_id: idOf(0),
        previous_response_id: null,
        created_at: '2026-01-01T00:00:00.000Z',
        model,
        model_instance_id: model,
        turn: {
          formatVersion: 4,
          systemPrompt: null,
          instructions: null,
          messages: [message],
          items: [{ type: 'message', text: 'I will remember it.' }],
          stopReason: 'eosFound',
          usage: { promptTokens: 3, cachedTokens: 0, completionTokens: 5, reasoningTokens: 0 },
          timings: {
            timeToFirstTokenSeconds: 0.25,
            generationSeconds: 2,
            tokensPerSecond: 2.5,
          },
        },
      },
    ],
    images: {},
  });
}

/** Waits until the background work after an update is done; older versions have no such work. */
async function whenIndexed(url) {
  for (;;) {
    const { body } = await send(url, 'GET', '/api/v1/conversations?search=nothing&limit=1');
    if (!(body.unindexed_count > 0)) return;
    await delay(200);
  }
}

/** Marks all responses except one as deleted. */
function makeTombstones(file, except) {
  const database = new DatabaseSync(file);
  const now = new Date().toISOString();
  database.prepare('update responses set deleted_at = ? where id != ?').run(now, except);
  const hasEntries = database
    .prepare(`select 1 from sqlite_schema where name = 'conversation_entries'`)
    .get();
  if (hasEntries !== undefined) {
    database
      .prepare(
        `update conversation_entries set is_deleted = 1, preview = '' where response_id != ?`,
      )
      .run(except);
    database
      .prepare(
        'delete from conversation_texts where id in (select id from conversation_entries where is_deleted = 1)',
      )
      .run();
  }
  database.close();
}

async function measureMigration(startServer, count) {
  await withHome(async (home, file) => {
    await writeDatabase(file, count, 10);
    let steps = 0;
    let server;
    print(
      `start on ${count} responses of 0.1.0`,
      await measure(async () => {
        server = await launch(startServer, home, () => {
          steps += 1;
        });
        return `progress reported ${steps} times`;
      }),
    );
    print(
      'index them in the background',
      await measure(async () => {
        await whenIndexed(server.url);
        return '';
      }),
    );
    await server.close();
    server = undefined;
    print(
      'start again',
      await measure(async () => {
        server = await launch(startServer, home);
        return '';
      }),
    );
    await server.close();
  });
}

try {
  if (values.help) console.log(usage);
  else {
    const { resolve: resolvePackage } = createRequire(
      join(resolve(values.package), 'package.json'),
    );
    const { startServer } = await import(pathToFileURL(resolvePackage('hearth')));
    const heads = ['time', 'longest', 'own'].map((head) => head.padStart(11));
    console.log(`${'operation'.padEnd(52)} ${heads.join(' ')}`);
    if (Number(values.turns) > 0) await measureConversation(startServer, Number(values.turns));
    if (Number(values.migrate) > 0) await measureMigration(startServer, Number(values.migrate));
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

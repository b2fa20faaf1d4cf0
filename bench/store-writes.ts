// Measures the time to store a turn: npm run build && node dist/bench/store-writes.js postgres://postgres@/hearth?host=/run/postgresql
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createLogger } from '../src/telemetry/logger.ts';
import { openStore } from '../src/store/open-store.ts';
import type { StoredResponse } from '../src/store/store.ts';

const rounds = 7;
const turnsPerRound = 200;
/** Number of turns in one conversation. */
const chainLength = 50;
const text = 'The tide is high at noon. '.repeat(80);

const idOf = (): string => `resp_${randomBytes(24).toString('hex')}`;

function turnOf(id: string, parentId: string | null): StoredResponse {
  return {
    id,
    parentId,
    ownerId: null,
    createdAt: new Date(),
    modelKey: 'hearth/starter-chat',
    modelInstanceId: 'hearth/starter-chat',
    turn: {
      systemPrompt: null,
      instructions: null,
      messages: [{ role: 'user', content: [{ type: 'text', text: `Question ${id}` }] }],
      items: [{ type: 'message', text }],
      stopReason: 'eosFound',
      usage: { promptTokens: 3, cachedTokens: 1, completionTokens: 5, reasoningTokens: 0 },
      timings: { timeToFirstTokenSeconds: 0.25, generationSeconds: 2, tokensPerSecond: 2.5 },
    },
  };
}

interface Subject {
  readonly name: string;
  /** Runs a round; returns the milliseconds of each write. */
  readonly run: () => Promise<readonly number[]>;
  readonly close: () => Promise<unknown>;
}

async function timed(count: number, write: (index: number) => Promise<unknown>) {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    await write(index);
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function storeSubject(name: string, url: string): Promise<Subject> {
  const store = await openStore({ url, logger: createLogger('silent'), maxConnections: 2 });
  let parentId: string | null = null;
  return {
    name,
    run: () =>
      timed(turnsPerRound, async (index) => {
        const id = idOf();
        await store.responses.insert(turnOf(id, index % chainLength === 0 ? null : parentId), []);
        parentId = id;
      }),
    close: () => store.close(),
  };
}

async function bareSubject(name: string, url: string): Promise<Subject> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create table if not exists bare_turns (id text primary key, content text)');
  return {
    name,
    run: () =>
      timed(turnsPerRound, async () => {
        const id = idOf();
        const content = JSON.stringify(turnOf(id, null).turn);
        await client.query('insert into bare_turns values ($1, $2)', [id, content]);
      }),
    close: async () => {
      await client.query('drop table if exists bare_turns');
      await client.end();
    },
  };
}

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((one, other) => one - other);
  return (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2);
}

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('Pass the URL of an empty PostgreSQL database.');
const withCommit = (mode: 'on' | 'off'): string =>
  `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c synchronous_commit=${mode}`)}`;
const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
const subjects = [
  await storeSubject('SQLite', join(folder, 'hearth.db')),
  await storeSubject('PostgreSQL, synchronous_commit off', withCommit('off')),
  await bareSubject('bare insert, synchronous_commit off', withCommit('off')),
  await storeSubject('PostgreSQL, synchronous_commit on', withCommit('on')),
  await bareSubject('bare insert, synchronous_commit on', withCommit('on')),
];
const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const { name, run } of subjects) {
    const measured = await run();
    // The first round warms up.
    if (round > 0) times.get(name)?.push(...measured);
  }
}
for (const [name, measured] of times) {
  console.log(`${name}: p50 ${quantile(measured, 0.5)} ms, p95 ${quantile(measured, 0.95)} ms`);
}
for (const { close } of subjects) await close();
await rm(folder, { recursive: true });

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { mapConcurrently } from '../../src/kernel/concurrency/map-concurrently.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { recallingModel, startRecallingUpstream } from '../setup/engine/recalling-upstream.ts';
import { startGate } from '../setup/net/gate.ts';
import { startNginx } from '../setup/net/nginx.ts';
import { freePort } from '../setup/net/ports.ts';
import { startMotoServer } from '../setup/object-storage/moto-server.ts';
import { startPostgres } from '../setup/postgres/postgres-server.ts';
import { seededRandom, testSeed } from '../setup/seeded-random.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { drillSize, report } from '../soak/drill.ts';
import { sha256 } from '../soak/writes/stored-things.ts';
import { answerInBackground, download, keepFile, runBatch } from './three-servers/jobs.ts';
import { chatOnce, chatWithLimit, textOf, type Turn } from './three-servers/turns.ts';
import { Observations, type World } from './three-servers/world.ts';

/** Long form: `HEARTH_SOAK_SECONDS=600 npx vitest run --project postgres test/postgres/three-servers.test.ts` */
const { seconds, isShort } = drillSize({ seconds: 24 });
/** Number of clients of each kind, 200 in total in the long form. */
const clients = isShort
  ? { chat: 24, limited: 6, background: 6, batch: 2, file: 2 }
  : { chat: 120, limited: 30, background: 30, batch: 10, file: 10 };
const killEveryMs = isShort ? 7000 : 20_000;
const bucketAwayMs = isShort ? 4000 : 30_000;
/** Fewer than the clients send. */
const requestsPerMinute = clients.limited * 3;
/**
 * Errors that a client may see while a server, the database or the bucket is away. A file is not found if the proxy repeats its
 * deletion.
 */
const clearErrors =
  /deletion of a file: 404 file_not_found|: (disconnected|cut|failed|50[24] proxy|(503 |stream )?store_unavailable|\d* ?(stream )?storage_failed|429 (rate_limit_exceeded|queue_full))$/;

const postgres = useResource(() => startPostgres());
const moto = useResource(startMotoServer);
const bucket = useResource(() => startGate(moto.url));
const upstream = useResource(startRecallingUpstream);
beforeAll(async () => {
  await postgres.query('create database hearth');
  await fetch(`${moto.url}/images`, { method: 'PUT' });
});
const servers = Array.from({ length: 3 }, () =>
  useHearth(async (home) => {
    const lab = {
      url: `${upstream.url}/v1`,
      maxConcurrent: 500,
      models: { [recallingModel]: { type: 'vlm', contextLength: 100_000 } },
    };
    await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams: { lab } }));
    return {
      flags: [`--port=${await freePort()}`, '--log-level=error'],
      environment: {
        HEARTH_STORE_URL: postgres.url('hearth'),
        HEARTH_STORE_BLOBS_URL: `${bucket.url}/images/hearth`,
        AWS_ACCESS_KEY_ID: 'key',
        AWS_SECRET_ACCESS_KEY: 'secret',
      },
    };
  }),
);
const proxy = useResource(() => startNginx(servers.map(({ url }) => url)));

it(
  `loses and doubles nothing for ${seconds} s in which servers are killed, and database and bucket are away`,
  { timeout: (seconds * 2 + 300) * 1000, retry: 0 },
  async () => {
    const observations = new Observations();
    let marks = 0;
    const world: World = {
      url: proxy.url,
      model: `lab/${recallingModel}`,
      observations,
      responses: new Map(),
      files: new Map(),
      nextMark: () => `mark-${(marks += 1)}`,
    };
    const created = await runHearth(
      ['token', 'create', '--name=x', `--requests-per-minute=${requestsPerMinute}`, '--json'],
      { home: servers[0]?.home ?? '', environment: { HEARTH_STORE_URL: postgres.url('hearth') } },
    );
    const limited = JSON.parse(created.stdout) as { readonly token: string };
    /** Marks of batch lines, which may be sent to the model again after a kill. */
    const repeatable = new Set<string>();
    const started = performance.now();
    const elapsed = () => performance.now() - started;

    const work = startClients(world, limited.token, repeatable, () => elapsed() < seconds * 1000);
    const faults = [killServers(elapsed), restartDatabase(elapsed), shutBucket()];
    const kills = (await Promise.all(faults))[0] ?? 0;
    await Promise.all(work);
    observations.report('three servers');

    const stored = [...(await readStored()), ...(await readStored(limited.token))];
    const losses = findLosses(world, stored);
    const doubled = findDoubles(stored, repeatable);
    const files = await mapConcurrently([...world.files], 4, async ([id, hash]) =>
      sha256(await download(world, id)) === hash ? [] : [`${id} is lost`],
    );
    const limit = requestsPerMinute * (1 + elapsed() / 60_000);
    const again = [...repeatable].filter((mark) => (upstream.runs.get(mark) ?? 0) > 1).length;
    report(
      `three servers: ${kills} kills; ${world.responses.size} responses and ${world.files.size} files acknowledged; ` +
        `${stored.length} responses stored; ${observations.countOf('limited chat')} of at most ${Math.round(limit)} ` +
        `limited requests; ${again} of ${repeatable.size} lines of batches run again; lost or doubled: ` +
        `${losses.length + doubled.length + files.flat().length}`,
    );
    const violations = [...observations.violations, ...losses, ...doubled, ...files.flat()];
    expect(violations.slice(0, 20)).toEqual([]);
    const codes = observations.failures().map(([code]) => code);
    expect(codes.filter((code) => !clearErrors.test(code))).toEqual([]);
    expect(observations.countOf('limited chat')).toBeLessThanOrEqual(limit);
    expect(codes).toContain('limited chat: 429 rate_limit_exceeded');
    for (const kind of [
      'chat',
      'chat, streamed',
      'end of a batch',
      'end of a response',
      'upload',
    ]) {
      expect(observations.countOf(kind), kind).toBeGreaterThan(0);
    }
  },
);

function startClients(
  world: World,
  token: string,
  repeatable: Set<string>,
  isRunning: () => boolean,
): readonly Promise<void>[] {
  const repeat = (
    count: number,
    pauseMs: number,
    make: (random: () => number) => () => Promise<unknown>,
  ) =>
    Array.from({ length: count }, async (_, index) => {
      const random = seededRandom(testSeed + index);
      const once = make(random);
      while (isRunning()) {
        await once();
        await delay(random() * pauseMs);
      }
    });
  return [
    ...repeat(clients.chat, 4000, (random) => {
      const turns: Turn[] = [];
      return async () => {
        const turn = await chatOnce(world, random, turns.slice(-6));
        if (turn !== undefined) turns.push(turn);
      };
    }),
    ...repeat(clients.limited, 2000, () => () => chatWithLimit(world, token)),
    ...repeat(clients.background, 4000, () => () => answerInBackground(world)),
    ...repeat(clients.batch, 4000, () => () => runBatch(world, repeatable)),
    ...repeat(clients.file, 2000, (random) => () => keepFile(world, random)),
  ];
}

/** Kills and restarts one server after the other. @returns The number of kills. */
async function killServers(elapsed: () => number): Promise<number> {
  const random = seededRandom(testSeed);
  let kills = 0;
  for (;;) {
    await delay(Math.max(0, killEveryMs * (kills + 1) - elapsed()));
    if (elapsed() > seconds * 1000) return kills;
    const server = servers[Math.floor(random() * servers.length)];
    await server?.kill();
    await delay(random() * 2000);
    await server?.restart();
    kills += 1;
  }
}

/** Restarts the database twice: with a notice to its sessions, and as in a crash. */
async function restartDatabase(elapsed: () => number): Promise<undefined> {
  for (const [mode, share] of [
    ['fast', 0.3],
    ['immediate', 0.7],
  ] as const) {
    await delay(seconds * 1000 * share - elapsed());
    await postgres.stop(mode);
    await delay(1000);
    await postgres.start();
  }
}

async function shutBucket(): Promise<undefined> {
  await delay(seconds * 1000 * 0.4);
  await bucket.shut();
  await delay(bucketAwayMs);
  await bucket.open();
}

interface Stored {
  readonly id: string;
  readonly text: string | undefined;
  /** Mark of the response's message. */
  readonly mark: string | undefined;
}

/** All responses of a token, or of requests without one. */
async function readStored(token?: string): Promise<readonly Stored[]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const stored: Stored[] = [];
  for (let after = ''; ;) {
    const { status, body } = await get(proxy.url, `/api/v1/responses?limit=100${after}`, {
      headers,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    for (const { response_id: id, input, output } of body.responses) {
      const [mark] = /mark-\d+/.exec(JSON.stringify(input)) ?? [];
      stored.push({ id, text: textOf(output), mark });
    }
    if (body.next_cursor === null) return stored;
    after = `&after=${body.next_cursor}`;
  }
}

function findLosses(world: World, stored: readonly Stored[]): readonly string[] {
  const texts = new Map(stored.map(({ id, text }) => [id, { text }]));
  return [...world.responses].flatMap(([id, expected]) => {
    const found = texts.get(id);
    if (found === undefined) return [`${id} is lost`];
    return expected === undefined || found.text === expected
      ? []
      : [`${id} says ${found.text}, not ${expected}`];
  });
}

/** Turns that were stored or generated twice. */
function findDoubles(
  stored: readonly Stored[],
  repeatable: ReadonlySet<string>,
): readonly string[] {
  const known = new Set<string>();
  const twice = stored.flatMap(({ mark = '' }) => {
    if (known.has(mark)) return [mark];
    known.add(mark);
    return [];
  });
  const again = [...upstream.runs].filter(([mark, count]) => count > 1 && !repeatable.has(mark));
  return [
    ...twice.map((mark) => `${mark} is stored twice`),
    ...again.map(([mark, count]) => `${mark} was generated ${count} times`),
  ];
}

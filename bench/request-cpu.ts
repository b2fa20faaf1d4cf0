// Measures the processor time that Hearth takes for a request and for a streamed token, before a scripted upstream and
// with the local engine: npm run build && node dist/bench/request-cpu.js [CHECKOUT...]
// Several checkouts, each with its build, are measured alternately and compared with the first. BENCH_ROUNDS=N: rounds;
// BENCH_ONLY=TEXT: only the measurements whose names contain it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serverNodeOptions } from '../src/cli/server-node-options.ts';
import { packageFolder } from '../src/platform/files/package-folder.ts';
import { connectEngine, type EngineConnection } from '../src/platform/net/engine-connection.ts';
import { repeatConcurrently } from './client/repeat.ts';
import { streamRequest } from './client/stream-request.ts';
import { threadMicroseconds } from './process-usage.ts';
import { quantile } from './statistics.ts';
import { startBenchProgram } from './subjects/bench-program.ts';
import { startHearth } from './subjects/hearth-process.ts';
import { findRuntime } from './subjects/runtime.ts';

/** Many short rounds, so that other work of the machine affects all subjects equally. */
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 25);
const warmUps = 15;
const chatTokens = 8;
const streamTokens = 300;
const stop = new AbortController();
const { signal } = stop;

interface Subject {
  readonly checkout: string;
  readonly pid: number;
  readonly connection: EngineConnection;
}

/** Sends requests; returns the number of requests or tokens. */
type Work = (subject: Subject) => Promise<number>;

interface Measure {
  readonly name: string;
  readonly unit: 'ms/request' | 'µs/token';
  readonly work: Work;
}

interface Sample {
  readonly cpuMicroseconds: number;
  readonly perSecond: number;
}

async function post({ connection }: Subject, path: string, body: object): Promise<void> {
  const reply = await connection.postJson(path, body, signal);
  if (reply.status === 200) return;
  throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
}

/** Sends `count` requests, one after the other unless `width` is larger. */
function requests(count: number, send: (subject: Subject) => Promise<unknown>, width = 1): Work {
  return async (subject) => {
    await repeatConcurrently(count, width, () => send(subject));
    return count;
  };
}

function measuresOf(model: string, place: string): readonly Measure[] {
  const messages = [{ role: 'user', content: 'Hello!' }];
  const chat = { model, messages, max_tokens: chatTokens, temperature: 0 };
  const turn = { model, input: 'Hello!', max_output_tokens: chatTokens, temperature: 0 };
  const story = {
    messages: [{ role: 'user', content: 'Tell me a story' }],
    max_tokens: streamTokens,
    temperature: 0,
    stream_options: { include_usage: true },
  };
  const chats = (path: string, body: object): Work =>
    requests(20, (subject) => post(subject, path, body));
  return [
    { name: `stored chat, ${place}`, unit: 'ms/request', work: chats('/api/v1/chat', turn) },
    { name: `chat, ${place}`, unit: 'ms/request', work: chats('/v1/chat/completions', chat) },
    {
      name: `stream, ${place}`,
      unit: 'µs/token',
      work: async ({ connection }) => {
        const endpoint = { connection, path: '/v1/chat/completions', model };
        return (await streamRequest(endpoint, story, signal)).completionTokens;
      },
    },
  ];
}

const listModels: Measure = {
  name: 'GET /api/v1/models, 8 clients',
  unit: 'ms/request',
  work: requests(
    200,
    async ({ connection }) => {
      await connection.getJson('/api/v1/models', signal);
    },
    8,
  ),
};

async function sample(subject: Subject, { work }: Measure): Promise<Sample> {
  const before = threadMicroseconds(subject.pid) ?? NaN;
  const startedAt = performance.now();
  const count = await work(subject);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = (threadMicroseconds(subject.pid) ?? NaN) - before;
  return { cpuMicroseconds: cpu / count, perSecond: count / seconds };
}

async function report(subjects: readonly Subject[], measure: Measure): Promise<void> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (const subject of subjects) await measure.work(subject);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const subject of order) samples.get(subject)?.push(await sample(subject, measure));
  }
  const median = (subject: Subject, of: keyof Sample): number =>
    quantile(
      (samples.get(subject) ?? []).map((each) => each[of]),
      0.5,
    );
  const [first] = subjects;
  for (const subject of subjects) {
    const cpu = median(subject, 'cpuMicroseconds');
    const shown = measure.unit === 'µs/token' ? cpu.toFixed(1) : (cpu / 1000).toFixed(3);
    const rate = median(subject, 'perSecond').toFixed(0);
    const ratio =
      first === undefined || subject === first
        ? ''
        : `, ${(cpu / median(first, 'cpuMicroseconds')).toFixed(2)} times the first`;
    process.stdout.write(
      `${measure.name}: ${shown} ${measure.unit} of CPU, ${rate}/s${ratio} (${subject.checkout})\n`,
    );
  }
}

const cleanups: (() => Promise<unknown>)[] = [];
try {
  const checkouts = process.argv.slice(2).map((folder) => resolve(folder));
  const { folder: runtimesFolder } = await findRuntime(process.env, signal);
  const upstream = await startBenchProgram<{ readonly url: string }>(
    'scripted-upstream',
    ['1000', String(streamTokens), '1'],
    signal,
  );
  cleanups.push(() => upstream.stop());
  const { url } = upstream.addresses;
  const subjects: Subject[] = [];
  for (const checkout of checkouts.length === 0 ? [packageFolder] : checkouts) {
    const home = await mkdtemp(join(tmpdir(), 'hearth-request-cpu-'));
    cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
    const config = { upstreams: { bench: { url: `${url}/v1` } } };
    await writeFile(join(home, 'config.json'), JSON.stringify(config));
    const options = { home, runtimesFolder, checkout, nodeOptions: serverNodeOptions };
    const hearth = await startHearth(options, signal);
    cleanups.push(() => hearth.stop());
    const connection = connectEngine({ address: { origin: hearth.url }, maxConnections: 8 });
    cleanups.push(() => connection.close());
    subjects.push({ checkout, pid: hearth.pid, connection });
  }
  const measures = [
    ...measuresOf('bench/scripted', 'scripted upstream'),
    ...measuresOf('hearth/starter-chat', 'local engine'),
    listModels,
  ].filter(({ name }) => name.includes(process.env['BENCH_ONLY'] ?? ''));
  // Warms up, since V8 compiles code that runs often.
  for (const subject of subjects) {
    for (const { work } of measures) for (let run = 0; run < warmUps; run += 1) await work(subject);
  }
  for (const measure of measures) await report(subjects, measure);
} finally {
  for (const cleanup of cleanups.toReversed()) await cleanup();
}

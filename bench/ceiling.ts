// Measures what one server holds, with a scripted upstream:
// npm run build && node dist/bench/ceiling.js [STREAMS] [TOKENS/S of each stream, with commas] [SECONDS] [STORE_URL]
// The server has the options of Node.js of a service. BENCH_PROFILE=FOLDER writes a CPU profile of the server.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverNodeOptions } from '../src/cli/server-node-options.ts';
import { cpuMicroseconds } from './process-usage.ts';
import { startBenchProgram } from './subjects/bench-program.ts';
import { startHearth } from './subjects/hearth-process.ts';

const [streamsText = '1000', ratesText = '4,20,50', secondsText = '20', storeUrl] =
  process.argv.slice(2);
const streams = Number(streamsText);
const rates = ratesText.split(',').map(Number);
const seconds = Number(secondsText);
const stop = new AbortController();
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts an upstream whose streams send `rate` tokens per second. */
async function startUpstream(rate: number): Promise<string> {
  // More tokens than the measurement takes; clients end the streams.
  const parameters = [String(rate), String(rate * seconds * 10)];
  const { addresses } = await startBenchProgram<{ readonly url: string }>(
    'scripted-upstream',
    parameters,
    stop.signal,
  );
  return addresses.url;
}

interface Api {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}
const apis: Readonly<Record<string, Api>> = {
  '/v1/chat/completions': {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hello!' }] },
  },
  '/api/v1/chat, stored': { path: '/api/v1/chat', body: { input: 'Hello!' } },
};

/** Sends a request and passes on the pieces of the response. */
function post(url: string, path: string, body: object, onPiece: (piece: Buffer) => void) {
  const aborted = new AbortController();
  const done = new Promise<number>((resolve, reject) => {
    const sent = request(
      url + path,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json' },
        signal: aborted.signal,
      },
      (response) => {
        response.on('data', onPiece);
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
  return { done, leave: () => aborted.abort() };
}

/** Totals at one point in time. */
interface Passed {
  /** Tokens that the upstream has sent; `received` are the ones that clients got. */
  readonly sent: number;
  readonly received: number;
  /** Number of events with which clients got the tokens: Hearth may send several tokens in one. */
  readonly events: number;
  readonly cpuMicroseconds: number;
  readonly atMs: number;
}

interface ScriptedUpstream {
  readonly url: string;
  /** Key of its model in Hearth. */
  readonly model: string;
  /** Tokens per second of each stream. */
  readonly rate: number;
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

async function measureStreams(
  hearth: { readonly url: string; readonly pid: number },
  upstream: ScriptedUpstream,
  name: string,
  { path, body }: Api,
): Promise<void> {
  const { url, pid } = hearth;
  const seen = { tokens: 0, events: 0 };
  let failures = 0;
  let isLeaving = false;
  const count = (piece: Buffer): void => {
    for (let at = piece.indexOf('~'); at !== -1; at = piece.indexOf('~', at + 1)) seen.tokens += 1;
    for (let at = piece.indexOf('\n\n'); at !== -1; at = piece.indexOf('\n\n', at + 2))
      seen.events += 1;
  };
  const generation = { ...body, model: upstream.model, stream: true };
  const open = Array.from({ length: streams }, () => post(url, path, generation, count));
  for (const { done } of open) {
    done.then(
      (status) => (failures += isLeaving || status === 200 ? 0 : 1),
      () => (failures += isLeaving ? 0 : 1),
    );
  }
  const passed = async (): Promise<Passed> => {
    const { sent } = (await (await fetch(`${upstream.url}/sent`)).json()) as { sent: number };
    const { tokens: received, events } = seen;
    return {
      sent,
      received,
      events,
      cpuMicroseconds: cpuMicroseconds(pid) ?? NaN,
      atMs: performance.now(),
    };
  };
  while (seen.tokens < streams * 4) await delay(100);
  const from = await passed();
  await delay(seconds * 1000);
  const to = await passed();
  const perSecond = (of: 'sent' | 'received' | 'events'): number =>
    Math.round((to[of] - from[of]) / ((to.atMs - from.atMs) / 1000));
  const cpu = to.cpuMicroseconds - from.cpuMicroseconds;
  const cpuOf = (of: 'received' | 'events'): string => (cpu / (to[of] - from[of])).toFixed(1);
  write(
    `${name}, ${streams} streams with ${upstream.rate} tokens/s: ${perSecond('sent')} tokens/s sent, ` +
      `${perSecond('received')} received in ${perSecond('events')} events/s; ` +
      `${cpuOf('received')} µs of CPU for each token, ${cpuOf('events')} for each event, ` +
      `${Math.round((cpu / 1000 / (to.atMs - from.atMs)) * 100)} % of a processor, ` +
      `${await residentMiB(pid)} MiB, ${failures} failures`,
  );
  isLeaving = true;
  for (const { leave } of open) leave();
  await delay(1000);
}

/** Measures the cost of the same streams in a Node.js process that only forwards bytes. */
async function measurePipe(upstream: ScriptedUpstream): Promise<void> {
  const pipe = await startBenchProgram<{ readonly url: string }>(
    'node-pipe',
    [upstream.url],
    stop.signal,
  );
  const { pid, addresses } = pipe;
  const path = '/v1/chat/completions';
  const body = apis[path]?.body ?? {};
  await measureStreams({ pid, url: addresses.url }, upstream, 'bytes forwarded', { path, body });
  await pipe.stop();
}

/** Measures short answers without streaming, as many as possible. */
async function measureRequests(
  { url, pid }: { readonly url: string; readonly pid: number },
  model: string,
): Promise<void> {
  const path = '/v1/chat/completions';
  const body = { ...apis[path]?.body, model, max_tokens: 1 };
  const cpuBefore = cpuMicroseconds(pid) ?? NaN;
  const at = performance.now();
  const until = at + seconds * 500;
  let count = 0;
  let failures = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (performance.now() < until) {
        const status = await post(url, path, body, () => {}).done;
        count += 1;
        if (status !== 200) failures += 1;
      }
    }),
  );
  const elapsed = (performance.now() - at) / 1000;
  const cpu = (cpuMicroseconds(pid) ?? NaN) - cpuBefore;
  write(
    `${path}: ${Math.round(count / elapsed)} requests/s from 64 clients, ${Math.round(cpu / count)} µs of CPU for each, ${failures} failures`,
  );
}

const home = await mkdtemp(join(tmpdir(), 'hearth-ceiling-'));
try {
  const upstreams = await Promise.all(
    rates.map(async (rate) => {
      const name = `rate${rate}`;
      return { name, model: `${name}/scripted`, rate, url: await startUpstream(rate) };
    }),
  );
  const settings = upstreams.map(({ name, url }) => [
    name,
    { url: `${url}/v1`, maxConcurrent: 100_000 },
  ]);
  const config = { upstreams: Object.fromEntries(settings) };
  await writeFile(join(home, 'config.json'), JSON.stringify(config));
  const flags = ['--log-level=error'];
  if (storeUrl !== undefined) flags.push(`--store-url=${storeUrl}`);
  const profile = process.env['BENCH_PROFILE'];
  const hearth = await startHearth(
    { home, nodeOptions: serverNodeOptions, flags, profile },
    stop.signal,
  );
  // Measured before the streams, which take time to end. Uses the upstream that answers fastest.
  const fastest = upstreams.toSorted((one, other) => other.rate - one.rate)[0];
  if (fastest !== undefined) await measureRequests(hearth, fastest.model);
  for (const upstream of upstreams) {
    await measurePipe(upstream);
    for (const [name, api] of Object.entries(apis)) {
      await measureStreams(hearth, upstream, name, api);
    }
  }
  await hearth.stop();
} finally {
  stop.abort();
  await rm(home, { recursive: true, force: true });
}

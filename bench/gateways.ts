// Compares Hearth with LiteLLM's proxy and nginx before the same scripted upstream, and several processes of Hearth.
// npm run build && node dist/bench/gateways.js [CLIENTS] [SECONDS] [GATEWAYS, with commas] [stream|whole]
// Each client asks again as soon as it has its answer: a stream of 20 tokens in 0.4 s, or a whole one at once. The gateways take
// turns in rounds, 3 or BENCH_ROUNDS=N; the table has their medians. BENCH_PROFILE=FOLDER writes CPU profiles of Hearth.
import { Agent, request } from 'node:http';
import { residentBytes } from '../src/engines/launch/memory-watch.ts';
import { cpuMicroseconds } from './process-usage.ts';
import { formatNumber } from './report.ts';
import { quantile } from './statistics.ts';
import { startBenchProgram } from './subjects/bench-program.ts';
import { apiKey, startGateway, type Gateway } from './subjects/gateways.ts';

const [clientsText = '100', secondsText = '3', namesText, kind = 'stream'] = process.argv.slice(2);
const clients = Number(clientsText);
const seconds = Number(secondsText);
const names = (namesText ?? 'direct,nginx,hearth,litellm').split(',');
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const tokens = kind === 'stream' ? 20 : 1;
const tokensPerSecond = 50;
const stop = new AbortController();
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const write = (line: string): void => void process.stdout.write(`${line}\n`);

interface Answer {
  readonly firstTokenMs: number;
  readonly totalMs: number;
}

/** @throws Error if the response is incomplete. */
function ask(url: string, model: string): Promise<Answer> {
  const started = performance.now();
  let firstTokenMs = Number.NaN;
  let received = 0;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
    const options = { method: 'POST', agent, headers };
    const sent = request(`${url}/v1/chat/completions`, options, (response) => {
      response.on('data', (piece: Buffer) => {
        for (let at = piece.indexOf('~'); at !== -1; at = piece.indexOf('~', at + 1)) received += 1;
        if (received > 0 && Number.isNaN(firstTokenMs)) firstTokenMs = performance.now() - started;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (received === tokens) resolve({ firstTokenMs, totalMs: performance.now() - started });
        else reject(new Error(`${response.statusCode}, ${received} tokens`));
      });
    });
    sent.on('error', reject);
    const messages = [{ role: 'user', content: 'Hello!' }];
    sent.end(JSON.stringify({ model, messages, stream: kind === 'stream', max_tokens: tokens }));
  });
}

interface Sample {
  readonly requestsPerSecond: number;
  readonly firstTokenMs: number;
  readonly totalMs: number;
  readonly slowestMs: number;
  readonly cpuMs: number;
  readonly processors: number;
  readonly residentMiB: number;
  readonly failures: number;
}

async function measure(
  { urls, model, pids }: Gateway,
  width: number,
  forMs: number,
): Promise<Sample> {
  const answers: Answer[] = [];
  let failures = 0;
  const cpu = (): number => pids.reduce((sum, pid) => sum + (cpuMicroseconds(pid) ?? 0), 0) / 1000;
  const cpuBefore = cpu();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: width }, async (_, client) => {
      while (performance.now() - started < forMs) {
        const url = urls[client % urls.length] ?? '';
        await ask(url, model).then(
          (answer) => answers.push(answer),
          () => (failures += 1),
        );
      }
    }),
  );
  const elapsedMs = performance.now() - started;
  const used = cpu() - cpuBefore;
  const resident = await Promise.all(pids.map(async (pid) => (await residentBytes(pid)) ?? 0));
  const of = (field: keyof Answer, fraction: number): number =>
    answers.length === 0
      ? Number.NaN
      : quantile(
          answers.map((each) => each[field]),
          fraction,
        );
  return {
    requestsPerSecond: answers.length / (elapsedMs / 1000),
    firstTokenMs: of('firstTokenMs', 0.5),
    totalMs: of('totalMs', 0.5),
    slowestMs: of('totalMs', 0.99),
    cpuMs: used / answers.length,
    processors: used / elapsedMs,
    residentMiB: resident.reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20,
    failures,
  };
}

/** The medians of each field over the rounds; failures are summed. */
function summarize(samples: readonly Sample[]): Sample {
  const median = (field: keyof Sample): number =>
    quantile(
      samples.map((sample) => sample[field]),
      0.5,
    );
  return {
    requestsPerSecond: median('requestsPerSecond'),
    firstTokenMs: median('firstTokenMs'),
    totalMs: median('totalMs'),
    slowestMs: median('slowestMs'),
    cpuMs: median('cpuMs'),
    processors: median('processors'),
    residentMiB: median('residentMiB'),
    failures: samples.reduce((sum, { failures }) => sum + failures, 0),
  };
}

const gateways: Gateway[] = [];
try {
  const upstream = await startBenchProgram<{ readonly url: string }>(
    'scripted-upstream',
    [String(tokensPerSecond), String(tokens), '5'],
    stop.signal,
  );
  for (const name of names) {
    gateways.push(await startGateway(name, upstream.addresses.url, stop.signal));
  }
  const samples = new Map<Gateway, Sample[]>();
  for (const gateway of gateways) {
    await measure(gateway, Math.min(clients, 20), 2000);
    samples.set(gateway, []);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) {
      samples.get(gateway)?.push(await measure(gateway, clients, seconds * 1000));
    }
  }
  write(
    '| Clients | Gateway | requests/s | first token, p50 | whole answer, p50 | p99 | CPU of a request | processors | memory | failures |',
  );
  write('| --: | --- | --: | --: | --: | --: | --: | --: | --: | --: |');
  for (const gateway of gateways) {
    const each = summarize(samples.get(gateway) ?? []);
    const ms = (value: number): string => `${formatNumber(value)} ms`;
    const own =
      gateway.pids.length === 0
        ? ['', '', '']
        : [ms(each.cpuMs), each.processors.toFixed(2), `${Math.round(each.residentMiB)} MiB`];
    const cells = [
      String(clients),
      gateway.name,
      formatNumber(each.requestsPerSecond),
      ms(each.firstTokenMs),
      ms(each.totalMs),
      ms(each.slowestMs),
      ...own,
      String(each.failures),
    ];
    write(`| ${cells.join(' | ')} |`);
  }
} finally {
  for (const gateway of gateways) await gateway.stop();
  stop.abort();
}

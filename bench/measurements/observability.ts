import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createObservability } from '../../src/telemetry/create-observability.ts';
import { RequestRecord } from '../../src/kernel/request/request-record.ts';
import { startTrace } from '../../src/kernel/request/trace-context.ts';
import { toRow, type Row } from '../row.ts';
import { alone } from './interleave.ts';
import type { Measurement } from './measurement.ts';

type Observability = Awaited<ReturnType<typeof createObservability>>;

const requests = 300;
const tokens = 500;
const instances = 50;
/** Longer than the exporter buffers spans. */
const exportMs = 300;

/** Accepts traces in a separate process, like a collector. */
const collector = `
const server = require('node:http').createServer((request, response) => {
  request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/**
 * Measures the cost of metrics and traces in the server process: the CPU time to record each token and each request
 * with its phases and spans, and the time to read the metrics of 50 instances.
 */
export const measureObservability: Measurement = async ({ options, signal }) => {
  const child = spawn(process.execPath, ['-e', collector], { signal, stdio: 'pipe' });
  child.once('error', () => {});
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = String(exportMs / 3);
  const observability = await createObservability({
    logger: createLogger('warn'),
    version: 'bench',
    environment: {},
    settings: {
      'log.prompts': false,
      'tracing.endpoint': `http://127.0.0.1:${port}`,
      'tracing.prompts': false,
    },
  });
  try {
    return await measure(observability, options.rounds);
  } finally {
    await observability.close();
    child.kill();
  }
};

async function measure(observability: Observability, rounds: number): Promise<readonly Row[]> {
  const names = Array.from({ length: instances }, (_, index) => `publisher/model-${index}`);
  const metrics = observability.createMetrics({
    instances: async () => names.map(describeInstance),
    memory: () => ({ availableBytes: 1e9, reservedBytes: 1e9 }),
    replicas: () => [],
    folders: {},
  });
  const cpuOf = async (perRequest: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let index = 0; index < requests; index += 1) {
      recordRequest(observability, names[index % instances] ?? '', perRequest);
      // Yields, since a server sends spans between requests.
      if (index % 50 === 49) await delay(1);
    }
    await delay(exportMs);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await cpuOf(tokens);
  const ofRequest = await alone(rounds, async () => [(await cpuOf(0)) / requests]);
  const ofToken = await alone(rounds, async () => {
    const without = await cpuOf(0);
    return [Math.max(0, (await cpuOf(tokens)) - without) / (requests * tokens)];
  });
  // Warms up, since a scraper reads the metrics repeatedly.
  for (let warmUp = 0; warmUp < 10; warmUp += 1) await metrics.read('openmetrics');
  const scrape = await alone(rounds, async () => {
    const begun = performance.now();
    await metrics.read('openmetrics');
    return [performance.now() - begun];
  });
  const row = (name: string, unit: string, atMost: number, samples: typeof ofToken): Row =>
    toRow({ name, unit, target: { of: 'Hearth', atMost } }, samples);
  return [
    row('metrics and traces, a token', 'µs CPU', 5, ofToken),
    row('metrics and traces, a request', 'µs CPU', 1000, ofRequest),
    row(`GET /metrics with ${instances} instances`, 'ms', 20, scrape),
  ];
}

/** Records a chat with a phase of each kind. */
function recordRequest({ observation }: Observability, model: string, count: number): void {
  const record = new RequestRecord({
    requestId: 'bench',
    method: 'POST',
    path: '/api/v1/chat',
    events: observation.events,
    trace: startTrace(undefined),
  });
  record.begin('/api/v1/chat', null);
  record.beginPhase({ name: 'queue' }).end();
  record.beginPhase({ name: 'load' }).end();
  record.useInstance(model, model);
  const generation = record.beginGeneration('chat');
  for (let token = 0; token < count; token += 1) generation.noteTokens();
  generation.end({
    usage: { promptTokens: 20, cachedTokens: 10, completionTokens: count },
    stopReason: 'eosFound',
  });
  record
    .beginPhase({ name: 'tool', tool: 'search', provider: 'mcp/web', providerType: 'plugin' })
    .end();
  record.beginPhase({ name: 'store' }).end();
  record.finish(200, true);
}

function describeInstance(model: string) {
  return {
    instanceId: model,
    model,
    state: 'ready',
    runningRequests: 1,
    waitingRequests: 0,
    estimatedBytes: 1e9,
    residentBytes: 1e9,
  };
}

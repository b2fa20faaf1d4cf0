import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleScript } from '../setup/engine/test-engines.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { sha256OfFile } from '../setup/hub/fake-hub-content.ts';
import type { HubFault } from '../setup/hub/fake-hub-faults.ts';
import { badServer } from '../setup/mcp/open-tools.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { describeTimes, drillSize, report } from './drill.ts';
import { countDescriptors, readFigures } from './process-figures.ts';

/** Long form: `npm run soak -- misbehaving-upstreams --seconds 300` */
const { seconds } = drillSize({ seconds: 3 });
const model = 'hearth/starter-chat';
const behaviors = [
  'well',
  'hang-at-connect',
  'hang-at-list',
  'hang-at-call',
  'stream-for-ever',
  'huge-answer',
  'invalid-json',
  'no-result',
  'die-at-call',
  'long-text',
  'asks-back',
  'exit-at-once',
  'endless-garbage',
] as const;
const sizeBytes = 8_000_000;
const faultsFor = (random: () => number): HubFault => {
  const afterBytes = Math.floor(random() * sizeBytes);
  const faults: readonly HubFault[] = [
    { kind: 'status', status: 500, times: 1 },
    { kind: 'status', status: 503, retryAfter: '1', times: 1 },
    { kind: 'body', body: '<html>', contentType: 'text/html', times: 1 },
    { kind: 'reset', afterBytes, times: 2 },
    { kind: 'truncate', afterBytes, times: 1 },
    { kind: 'ignore_range', times: 1 },
    { kind: 'wrong_range', shiftBytes: 7, times: 1 },
    { kind: 'throttle', bytesPerSecond: 2_000_000, times: 1 },
  ];
  return faults[Math.floor(random() * faults.length)] ?? { kind: 'silence', times: 1 };
};

const repository = (index: number) => `acme/Model-${index}-GGUF`;
const file = 'model-Q8_0.gguf';
const hub = useResource(() => startFakeHub({ repositories: [] }));
const hearth = useHearth(async (home) => {
  const script = await bundleScript('test/setup/mcp/stdio-server.ts', home);
  const servers = behaviors.map((behavior) => [
    behavior,
    { ...badServer(script, behavior), timeoutSeconds: 1 },
  ]);
  const mcpServers = Object.fromEntries(servers) as Record<string, object>;
  await writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  return {
    flags: [
      `--engine-llama-server=${await writeScriptedEngine(home)}`,
      '--engine-parallel=8',
      '--mcp-allow-plugins',
      '--log-level=error',
    ],
    environment: { HEARTH_HUB_ENDPOINT: hub.url },
  };
});

/** Running processes that a process has started, as `PID (NAME)`. Linux only. */
async function childrenOf(parent: number): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.flatMap((stat) => {
    const [, child = '', parentPid] = /^(\d+ \(.*\)) \w (\d+) /s.exec(stat) ?? [];
    return parentPid === String(parent) ? [child] : [];
  });
}

it(
  `answers its clients while the hub and the tool servers misbehave for ${seconds} s`,
  { timeout: 180_000 + seconds * 1500 },
  async () => {
    const random = seededRandom();
    const owner = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${owner}` };
    await post(hearth.url, '/api/v1/models/load', { model });
    // The first call starts measuring the event loop.
    await readFigures(hearth);
    const children = new Set(await childrenOf(hearth.pid));
    const descriptors = await countDescriptors(hearth.pid);
    const end = performance.now() + seconds * 1000;
    const answerTimes: number[] = [];
    const outcomes = new Map<string, number>();
    const jobs: string[] = [];
    const shuffled = behaviors.toSorted(() => random() - 0.5);
    let used = 0;

    async function chatPlainly(): Promise<void> {
      while (performance.now() < end) {
        const begun = performance.now();
        const input = JSON.stringify([{ text: 'Hello.' }]);
        const { status } = await post(hearth.url, '/api/v1/chat', { model, input });
        expect(status).toBe(200);
        answerTimes.push(performance.now() - begun);
      }
    }
    async function useTools(): Promise<void> {
      const input = JSON.stringify([{ calls: [['echo', '{}']] }, { text: 'Done.' }]);
      // The short form uses each behavior once.
      while (performance.now() < end || used < behaviors.length) {
        const behavior = shuffled[used % shuffled.length];
        used += 1;
        const integrations = [{ type: 'plugin', id: `mcp/${behavior}` }];
        const request = { model, input, integrations };
        const { status, body } = await post(hearth.url, '/api/v1/chat', request, { headers });
        const outcome = status === 200 ? 'answered' : body.error.code;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    async function download(): Promise<void> {
      while (performance.now() < end) {
        const index = jobs.length;
        hub.addRepository({
          name: repository(index),
          files: { [file]: { sizeBytes, seed: index + 1 } },
        });
        hub.faults.add(faultsFor(random));
        jobs.push(await complete(index));
      }
    }
    /** Downloads until the job is complete. Like a client, restarts the job if it has failed. */
    async function complete(index: number): Promise<string> {
      for (;;) {
        const url = `https://huggingface.co/${repository(index)}`;
        const { status, body } = await post(hearth.url, '/api/v1/models/download', { model: url });
        if (status !== 200) {
          outcomes.set(body.error.code, (outcomes.get(body.error.code) ?? 0) + 1);
          continue;
        }
        const state = async (): Promise<string> =>
          (await get(hearth.url, `/api/v1/models/download/status/${body.job_id}`)).body.status;
        await expect
          .poll(state, { interval: 50, timeout: 120_000 })
          .toMatch(/^(completed|failed)$/);
        if ((await state()) === 'completed') return body.job_id;
        hub.faults.clear();
      }
    }

    await Promise.all([
      ...Array.from({ length: 2 }, chatPlainly),
      ...Array.from({ length: 4 }, useTools),
      download(),
    ]);
    const { residentMiB, loopDelayMs } = await readFigures(hearth);
    const counted = [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(', ');
    report(
      `misbehaving-upstreams: ${seconds} s; ${answerTimes.length} plain answers, ` +
        `${describeTimes(answerTimes)}; tools: ${counted}; ${jobs.length} downloads complete; ` +
        `RSS ${residentMiB.toFixed(0)} MiB; p99 of the event loop's delay ${loopDelayMs.toFixed(0)} ms`,
    );
    expect([...outcomes.keys()]).not.toContain('internal');
    for (const index of jobs.keys()) {
      const path = join(hearth.home, 'models', repository(index), file);
      const [listed] = hub.repository(repository(index)).listing() as { lfs?: { oid: string } }[];
      expect(await sha256OfFile(path)).toBe(listed?.lfs?.oid);
    }
    // No process of the tool servers is left.
    const remaining = async () =>
      (await childrenOf(hearth.pid)).filter((child) => !children.has(child));
    await expect.poll(remaining, { timeout: 20_000 }).toEqual([]);
    const left = async () => (await countDescriptors(hearth.pid)) - descriptors;
    await expect.poll(left, { timeout: 90_000 }).toBeLessThan(32);
  },
);

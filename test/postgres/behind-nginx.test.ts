import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startLlamaReplica, type LlamaReplica } from '../setup/engine/llama-replicas.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { startNginx } from '../setup/net/nginx.ts';
import { parseMetrics } from '../setup/observability/prometheus-text.ts';
import { useTwoServers } from '../setup/postgres/use-two-servers.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useResource } from '../setup/use-resource.ts';
import { startChatClients } from '../soak/chat-clients.ts';
import { drillSize, report } from '../soak/drill.ts';
import { Ledger } from '../soak/ledger.ts';

/** Two servers on one database. nginx is in front of them, and they use two llama-server processes. */

let replicas: readonly LlamaReplica[] = [];
const { one, two } = useTwoServers([], async (home) => {
  if (replicas.length === 0) {
    replicas = await Promise.all([startLlamaReplica('tiny'), startLlamaReplica('tiny')]);
  }
  await placeEndlessModel(home);
  const lab = { url: replicas.map(({ url }) => url), kind: 'llama-server' };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams: { lab } }));
});
afterAll(() => Promise.all(replicas.map((replica) => replica.kill())));

const proxy = useResource(() => startNginx([one.url, two.url]));

const model = 'lab/tiny';

const running = async (): Promise<number> => {
  const pages = await Promise.all([one, two].map(({ url }) => get(url, '/metrics')));
  return pages
    .flatMap(({ body }) => parseMetrics(body))
    .filter(({ name }) => name === 'hearth_num_requests_running')
    .reduce((sum, { value }) => sum + value, 0);
};

it('passes events on as they come, and a disconnect to the server', async () => {
  const live = await openStream(proxy.url, '/api/v1/chat', { model: endlessModel, input: 'Hi' });
  await live.until('message.delta');
  expect(await running()).toBe(1);
  live.disconnect();
  await expect.poll(running).toBe(0);
});

it('continues conversations on any server, also when one was killed', async () => {
  let previous: string | undefined;
  const say = async (): Promise<void> => {
    const { status, body } = await post(proxy.url, '/api/v1/chat', {
      model,
      input: 'Continue.',
      max_output_tokens: 8,
      ...(previous === undefined ? {} : { previous_response_id: previous }),
    });
    expect(status, JSON.stringify(body)).toBe(200);
    previous = body.response_id;
  };
  for (let turn = 0; turn < 4; turn += 1) await say();
  await one.kill();
  for (let turn = 0; turn < 4; turn += 1) await say();
  await one.restart();
});

it('streams 64 answers from each server at the same time', async () => {
  const ids = await Promise.all(
    Array.from({ length: 128 }, async (_, index) => {
      const { url } = index % 2 === 0 ? one : two;
      const events = await stream(url, '/api/v1/chat', {
        model,
        input: `Story ${index}`,
        reasoning: 'off',
        max_output_tokens: 16,
      });
      expect(events.filter(({ event }) => event === 'error')).toEqual([]);
      expect(events.at(-1)?.event).toBe('chat.end');
      return JSON.parse(events.at(-1)?.data ?? '{}').result.response_id as string;
    }),
  );
  expect(new Set(ids).size).toBe(128);
  const { body } = await get(two.url, '/api/v1/conversations?limit=100');
  expect(body.conversations).toHaveLength(100);
});

it('loses nothing that was acknowledged when one of them is killed, and the other continues', async () => {
  const { count } = drillSize({ count: 1 });
  const ledger = new Ledger();
  let isDown = false;
  let turn = 0;
  const server = async (): Promise<string> => {
    turn += 1;
    return isDown || turn % 2 === 0 ? two.url : one.url;
  };
  const clients = startChatClients({ count: 16, model, ledger, server });
  for (let kill = 0; kill < count; kill += 1) {
    const before = clients.answered;
    const answers = async (more: number): Promise<void> => {
      await expect
        .poll(() => clients.answered, { timeout: 120_000 })
        .toBeGreaterThan(before + more);
    };
    await answers(20);
    isDown = true;
    await one.kill();
    await answers(50);
    await one.restart();
    isDown = false;
  }
  await clients.stop();
  // Only requests in flight on the killed server may fail.
  expect([...clients.failed.keys()].filter((code) => code !== 'disconnected')).toEqual([]);
  for (const { url } of [one, two]) expect(await ledger.findLosses(url)).toEqual([]);
  report(
    `${count} kills: ${clients.answered} answers, ${ledger.deletedCount} deletions, ${clients.failed.get('disconnected') ?? 0} connections cut, nothing lost`,
  );
});

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { installRay, startRayCluster } from '../setup/cluster/ray-cluster.ts';
import { startOtlpCollector, valuesOf } from '../setup/observability/otlp-collector.ts';
import { get, post } from '../setup/server/api.ts';
import { makeFolder, removeFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';
import { startChatClients, type ChatClients } from '../soak/chat-clients.ts';
import { report } from '../soak/drill.ts';
import { Ledger } from '../soak/ledger.ts';

/** The cluster of `examples/cluster`: a head and two workers of Ray with llama-server, behind Hearth. */

const installed = await installRay();
if ('missing' in installed) {
  console.error(`\n!! The cluster of Ray is SKIPPED: ${installed.missing}\n`);
}

const model = 'cluster/chat';
/** Ray, its replicas and the clients share the processors. */
const timeout = 300_000;

describe.skipIf('missing' in installed)('a cluster of Ray', { timeout }, () => {
  const collector = useResource(startOtlpCollector);
  const cluster = useResource(async () => {
    const folder = await makeFolder();
    const programs = 'programs' in installed ? installed.programs : '';
    const running = await startRayCluster(programs, { folder, collectorUrl: collector.url });
    return {
      ...running,
      close: async () => {
        await running.close();
        await removeFolder(folder);
      },
    };
  });

  /** Sends a message with its own trace. */
  async function say(input: string, previous?: string) {
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    const request = {
      model,
      input,
      reasoning: 'off',
      max_output_tokens: 24,
      ...(previous === undefined ? {} : { previous_response_id: previous }),
    };
    const { status, body } = await post(cluster.url, '/api/v1/chat', request, {
      headers: { traceparent },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return { traceId, id: body.response_id as string };
  }

  const spansOf = (traceId: string) =>
    collector.spans
      .filter((span) => span.traceId === traceId)
      .map((span) => ({ ...span, values: valuesOf(span.attributes) }));

  /** The Ray replica that answered, according to its span. */
  async function replicaOf(traceId: string): Promise<unknown> {
    const found = () =>
      spansOf(traceId).find(({ name }) => name.startsWith('replica_handle_request'))?.values[
        'replica_id'
      ];
    await expect.poll(found, { timeout: 30_000 }).toBeDefined();
    return found();
  }

  const pids = async () => (await cluster.replicas()).map(({ pid }) => pid);
  const readyReplicas = () => cluster.metric('ray_serve_deployment_replica_healthy');
  const answersSince = async (clients: ChatClients, before: number, more: number) => {
    await expect
      .poll(() => clients.answered, { timeout: 120_000 })
      .toBeGreaterThanOrEqual(before + more);
  };

  it('joins the spans of both, and counts what Hearth sent', async () => {
    const postsOf = () => cluster.metric('ray_serve_num_http_requests_total', 'method="POST"');
    const before = await postsOf();
    const { traceId } = await say('What is the capital of France?');
    const path = () => {
      const spans = spansOf(traceId);
      const names: string[] = [];
      const start = spans.find(({ name }) => name.startsWith('replica_handle_request'));
      for (let span = start; span !== undefined;) {
        names.unshift(span.name.split(' ')[0] ?? '');
        const parent: string | undefined = span.parentSpanId;
        span = spans.find(({ spanId }) => spanId === parent);
      }
      return names;
    };
    await expect
      .poll(path, { timeout: 30_000 })
      .toEqual([
        'POST',
        'chat',
        'proxy_http_request',
        'route_to_replica',
        'replica_handle_request',
      ]);
    await expect.poll(postsOf, { timeout: 30_000 }).toBe(before + 1);
  });

  it('adds a replica under load, and conversations stay with theirs', async () => {
    expect(await pids()).toHaveLength(1);
    const clients = startChatClients({
      count: 12,
      model,
      ledger: new Ledger(),
      server: async () => cluster.url,
    });
    const startedAt = Date.now();
    await expect.poll(readyReplicas, { timeout: 120_000 }).toBe(2);
    report(`the second replica is ready after ${Math.round((Date.now() - startedAt) / 1000)} s`);
    await clients.stop();
    expect([...clients.failed]).toEqual([]);

    const replicas: unknown[] = [];
    for (let conversation = 0; conversation < 8; conversation += 1) {
      const turns: unknown[] = [];
      let previous: string | undefined;
      for (const input of [`My name is Ada ${conversation}.`, 'What is my name?', 'Thank you.']) {
        const { traceId, id } = await say(input, previous);
        turns.push(await replicaOf(traceId));
        previous = id;
      }
      expect(new Set(turns).size, JSON.stringify(turns)).toBe(1);
      replicas.push(turns[0]);
    }
    expect(new Set(replicas).size).toBe(2);
  });

  it.each([
    ['a replica', 'pid'],
    ['the engine of a replica', 'enginePid'],
  ] as const)('loses nothing when %s is killed under load', async (name, victim) => {
    const { clients, ledger, before } = await loadTwoReplicas();
    const [replica] = await cluster.replicas();
    const killed = new Set([replica?.pid, replica?.enginePid]);
    const killedAt = Date.now();
    process.kill(replica?.[victim] ?? Number.NaN, 'SIGKILL');
    await answersSince(clients, before, 60);
    const enginesOf = async () =>
      (await cluster.replicas())
        .map(({ enginePid }) => enginePid)
        .filter((engine) => engine !== undefined && !killed.has(engine));
    await expect.poll(async () => (await enginesOf()).length, { timeout: 120_000 }).toBe(2);
    const seconds = Math.round((Date.now() - killedAt) / 1000);
    await endLoad(clients, ledger, `${name} killed, two engines again after ${seconds} s`);
  });

  it('loses nothing, and cuts no answer, in a rolling update under load', async () => {
    const { clients, ledger, before } = await loadTwoReplicas();
    const old = await pids();
    const startedAt = Date.now();
    await cluster.redeploy('ctx-size', '16384');
    const isReplaced = async () => (await pids()).every((pid) => !old.includes(pid));
    await expect.poll(isReplaced, { timeout: 240_000 }).toBe(true);
    await expect.poll(readyReplicas, { timeout: 60_000 }).toBe(2);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    await answersSince(clients, Math.max(before, clients.answered), 20);
    await endLoad(clients, ledger, `all replicas replaced after ${seconds} s`);
    expect([...clients.failed]).toEqual([]);
    const { body } = await get(cluster.url, '/api/v1/models');
    expect(JSON.stringify(body)).toContain('"max_context_length":4096');
  });

  /** Starts clients, and waits until both replicas answer them. */
  async function loadTwoReplicas() {
    const ledger = new Ledger();
    const clients = startChatClients({
      count: 12,
      model,
      ledger,
      server: async () => cluster.url,
    });
    await expect.poll(readyReplicas, { timeout: 120_000 }).toBe(2);
    await answersSince(clients, 0, 30);
    return { clients, ledger, before: clients.answered };
  }

  /**
   * Checks that every answer was either stored or ended with an error of the remote server, and that stored answers
   * still exist.
   */
  async function endLoad(clients: ChatClients, ledger: Ledger, event: string): Promise<void> {
    await clients.stop();
    const failed = [...clients.failed];
    report(`${event}: ${clients.answered} answers, errors ${JSON.stringify(failed)}`);
    expect(failed.map(([code]) => code)).toEqual(
      failed.map(() => expect.stringMatching(/^upstream_(?:error|unavailable)$/u)),
    );
    expect(await ledger.findLosses(cluster.url)).toEqual([]);
    await say('Hello again!');
  }
});

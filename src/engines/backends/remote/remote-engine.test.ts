import { expect, it } from 'vitest';
import { testContext } from '../../../../test/setup/test-context.ts';
import { CapabilityProbes } from './capability-probes.ts';
import { createRemoteEngine } from './remote-engine.ts';
import { ReplicaSet } from './replica-set.ts';
import type { UpstreamClient } from './upstream-client.ts';

const chunk = (choice: object): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);

it('paces a stream from its first token on', async () => {
  const steps: (string | number)[] = [];
  const batches = [
    [chunk({ delta: { role: 'assistant' } })],
    [chunk({ delta: { content: 'a' } })],
    [chunk({ delta: { content: 'b' }, finish_reason: 'stop' })],
  ];
  const never = async (): Promise<never> => {
    throw new Error('not asked');
  };
  const client: UpstreamClient = {
    getStatus: never,
    getJson: never,
    postForm: async () => Promise.reject(new Error('no form is sent')),
    postJson: never,
    openStream: async () => ({
      read: async () => {
        steps.push('read');
        return batches.shift();
      },
      setMinimumInterval: (intervalMs) => void steps.push(intervalMs),
      close: () => void steps.push('close'),
    }),
    close: async () => {},
  };
  const upstream = { name: 'lab', kind: 'openai', timeoutMs: 1000 } as const;
  const replicas = new ReplicaSet({
    upstream: 'lab',
    urls: ['http://lab:8000/v1'],
    isHealthy: never,
    signal: new AbortController().signal,
  });
  const engine = createRemoteEngine({
    upstream,
    modelId: 'small',
    replicas,
    client,
    probes: new CapabilityProbes({ upstream, replicas, client }),
    models: { lists: () => true },
    pacing: { intervalMs: () => 80 },
    contextLength: 4096,
  });
  const request = {
    kind: 'chat',
    messages: [{ role: 'user', content: 'Hi' }],
    sampling: {},
  } as const;
  for await (const event of engine.generate(request, testContext())) {
    if (event.type === 'content.delta') steps.push(event.text);
  }
  expect(steps).toEqual(['read', 'read', 'a', 80, 'read', 'b', 80, 'read', 'close']);
});

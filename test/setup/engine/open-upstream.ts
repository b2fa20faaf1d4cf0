import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { ChatGeneration, GenerationEvent } from '../../../src/engines/engine.ts';
import type { Upstream } from '../../../src/engines/backends/remote/upstream.ts';
import { openUpstreams, type Upstreams } from '../../../src/engines/backends/remote/upstreams.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { startLoopbackServer } from '../net/loopback-server.ts';

/** Handles the requests to a remote server, as the test defines. */
export type UpstreamAnswer = Parameters<typeof startLoopbackServer>[0];

/** Starts a remote server for the test. Its `url` is the base address. */
export async function serveUpstream(answer: UpstreamAnswer) {
  const server = await startLoopbackServer(answer);
  onTestFinished(() => server.close());
  return { ...server, url: `${server.url}/v1` };
}

/** Opens one upstream, `lab`, and an engine for its model `small`. Both are closed after the test. */
export function openUpstream(urls: readonly string[], options: Partial<Upstream> = {}) {
  const upstream: Upstream = {
    name: 'lab',
    kind: 'openai',
    urls,
    apiKey: undefined,
    maxConcurrent: 8,
    timeoutMs: 2000,
    models: undefined,
    ...options,
  };
  const upstreams = openUpstreams({
    upstreams: [upstream],
    environment: {},
    logger: createLogger('silent'),
  });
  onTestFinished(() => upstreams.close());
  const { engine } = upstreams.open({ upstream: 'lab', id: 'small' }, 4096);
  return { upstreams, engine };
}

export const upstreamChat: ChatGeneration = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Hello' }],
  sampling: {},
};

export const textOf = (events: readonly GenerationEvent[]): string =>
  events.map((event) => (event.type === 'content.delta' ? event.text : '')).join('');

/** States of the upstream's circuit breakers. */
export const statesOf = (upstreams: Upstreams): readonly string[] | undefined =>
  upstreams.describe()[0]?.replicas.map(({ state }) => state);

/** Answers a chat with a stream of one text. */
export function say(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
  response.write(
    `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}

export const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const hello = { model: 'hearth/starter-chat', input: 'Hello!', store: false, max_output_tokens: 4 };
const messages = [{ role: 'user', content: 'Hello!' }];
/** Requests that clients send in sequence on a connection: answers, streams and errors of every kind. */
const traffic: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/health'],
  ['POST', '/api/v1/chat', hello],
  ['POST', '/api/v1/chat', { ...hello, stream: true }],
  ['POST', '/api/v0/chat/completions', { messages, stream: true, max_tokens: 4 }],
  ['POST', '/api/v0/embeddings', { model: 'hearth/starter-embed', input: 'Hello' }],
  ['POST', '/api/v1/chat', { ...hello, model: 'no/such' }],
  ['POST', '/api/v1/no-such-endpoint', { filler: 'x'.repeat(200_000) }],
  ['POST', '/api/v1/chat', { ...hello, input: 'y'.repeat(200_000) }],
  ['DELETE', '/api/v1/responses/resp_1'],
  ['PUT', '/api/v1/chat', { filler: 'x'.repeat(200_000) }],
  ['GET', '/api/v1/models'],
];

it('keeps a connection usable after any response that does not close it', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = ([method, path, body]: (typeof traffic)[number]) =>
    new Promise<{ status: number | undefined; isReused: boolean }>((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(new URL(path, hearth.url), { method, agent, headers }, (response) => {
        response.on('error', reject).on('end', () => {
          resolve({ status: response.statusCode, isReused: sent.reusedSocket });
        });
        response.resume();
      });
      sent.on('error', (error) => {
        reject(new Error(`${method} ${path}, reused ${sent.reusedSocket}`, { cause: error }));
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  let reusedCount = 0;
  for (let round = 0; round < 5; round += 1) {
    for (const each of traffic) {
      const { status, isReused } = await send(each);
      expect(status, each.slice(0, 2).join(' ')).toBeTypeOf('number');
      if (isReused) reusedCount += 1;
    }
  }
  expect(reusedCount).toBeGreaterThan(traffic.length);
  agent.destroy();
});

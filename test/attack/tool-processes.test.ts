import { beforeEach, expect, it } from 'vitest';
import { deferred } from '../setup/deferred.ts';
import { waitForRequests } from '../setup/server/instances.ts';
import { isRunning } from '../setup/processes/is-running.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';
import { postRaw } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';

const model = 'hearth/starter-chat';

let place: Harbour;
let cancelled = deferred<void>();
let headers: { readonly authorization: string };

const server = useResource(() => startStreamableServer(() => cancelled.resolve()));
const hearth = useHearth(async (home) => {
  place = await addHarbour(home);
  headers = await place.bearer('chat', 'plugins', 'ephemeral-mcp');
  return {
    flags: ['--mcp-allow-plugins', '--mcp-allow-ephemeral', '--mcp-allowed-hosts=127.0.0.1'],
  };
});
beforeEach(async () => {
  cancelled = deferred<void>();
  await place.turnPage();
});

const request = (input: string, integration: object) => ({
  model,
  input,
  integrations: [integration],
  temperature: 0,
  reasoning: 'off',
  max_output_tokens: 80,
});
/** The tool returns no result, so the turn hangs in the call. */
const ferry = request('Find the ferry of Brest', {
  type: 'plugin',
  id: 'mcp/harbour',
  allowed_tools: ['find_ferry'],
});

async function expectGone(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { timeout: 10_000, interval: 20 }).toBe(false);
}

it('ends the process of a plugin when its client disconnects during a call', async () => {
  const live = await openStream(hearth.url, '/api/v1/chat', ferry, { headers });
  const pid = await place.pidOnCall('find_ferry');
  expect(await isRunning(pid)).toBe(true);
  live.disconnect();
  await expectGone(pid);

  await place.turnPage();
  const leaving = new AbortController();
  const answer = postRaw(hearth.url, '/api/v1/chat', JSON.stringify(ferry), {
    headers,
    signal: leaving.signal,
  });
  const second = await place.pidOnCall('find_ferry');
  leaving.abort();
  await expect(answer).rejects.toThrow('aborted');
  await expectGone(second);
  await waitForRequests(hearth.url, model, 0);
});

it('cancels a call on the tool server when the client disconnects', async () => {
  const integration = {
    type: 'ephemeral_mcp',
    server_label: 'there',
    server_url: server.url,
    allowed_tools: ['wait'],
  };
  const body = request('Call wait.', integration);
  const live = await openStream(hearth.url, '/api/v1/chat', body, { headers });
  await live.until('tool_call.arguments');
  live.disconnect();
  await cancelled.promise;
  await expect
    .poll(() => server.requests.at(-1)?.method, { timeout: 10_000, interval: 20 })
    .toBe('DELETE');
});

it('leaves no process of a plugin behind when the server is killed', async () => {
  const live = await openStream(hearth.url, '/api/v1/chat', ferry, { headers });
  const pid = await place.pidOnCall('find_ferry');
  const [rest] = await Promise.allSettled([live.rest(), hearth.kill()]);
  expect(rest.status).toBe('rejected');
  await expectGone(pid);
});

import { expect, it } from 'vitest';
import { post, type ApiAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';

type Headers = Readonly<Record<string, string>>;

let place: Harbour;
let trusted: Headers;

const server = useResource(() => startStreamableServer());
const hearth = useHearth(async (home) => {
  place = await addHarbour(home);
  trusted = await place.bearer('chat', 'plugins', 'ephemeral-mcp');
  return { flags: ['--mcp-allow-plugins', '--mcp-allow-ephemeral'] };
});

const send = (integration: unknown, headers: Headers, more: object = {}): Promise<ApiAnswer> => {
  const integrations = [integration];
  const body = { model: 'hearth/starter-chat', input: 'Hello!', integrations, ...more };
  return post(hearth.url, '/api/v1/chat', body, { headers });
};
const ephemeral = () => ({
  type: 'ephemeral_mcp',
  server_label: 'adder',
  server_url: server.url,
});
const forbidden = (message: RegExp | string, param = 'integrations[0]') =>
  ({ code: 'forbidden', message, param }) as const;

// covers v1-integration-7
it('allows plugins only with the permission for them, streamed or not', async () => {
  const chatting = await place.bearer('chat', 'ephemeral-mcp');
  for (const stream of [false, true]) {
    const anonymous = await send('mcp/harbour', {}, { stream });
    expectError(anonymous, forbidden('need a token with the permission plugins'));
    const lacking = await send('mcp/harbour', chatting, { stream });
    expectError(lacking, forbidden('lacks the permission plugins'));
  }
  expect(await place.journal()).toEqual([]);
});

// covers v1-integration-8
it('allows ephemeral servers only with the permission for them', async () => {
  const answer = await send(ephemeral(), await place.bearer('chat', 'plugins'));
  expectError(answer, forbidden('need the permission ephemeral-mcp'));
});

// covers v1-integration-9
it('does not connect to a private address that is not allowed', async () => {
  const message = /"adder" may not be reached.*mcp\.allowedHosts/;
  const answer = await send(ephemeral(), trusted);
  expectError(answer, forbidden(message, 'integrations[0].server_url'));
  expect(server.requests).toEqual([]);
});

it('lists the existing names for an unknown one', async () => {
  expectError(await send('mcp/harbor', trusted), {
    code: 'invalid_value',
    message: 'There is no plugin "mcp/harbor"; there are: mcp/speech-script, mcp/harbour.',
    param: 'integrations[0]',
  });
  const allowed = ['get_weather', 'get_rain'];
  const plugin = { type: 'plugin', id: 'mcp/harbour', allowed_tools: allowed };
  expectError(await send(plugin, trusted), {
    code: 'invalid_value',
    message: /"harbour" has no tool "get_rain"; it has: get_weather, check_tide, /,
    param: 'integrations[0].allowed_tools[1]',
  });
});

// covers v1-integration-8
it('allows neither by default, with any token', async () => {
  await hearth.stop();
  await hearth.restart({});
  expectError(await send('mcp/harbour', trusted), forbidden('mcp.allowPlugins'));
  expectError(await send('mcp/speech-script', trusted), forbidden('mcp.allowPlugins'));
  expectError(await send(ephemeral(), trusted), forbidden('mcp.allowEphemeral'));
});

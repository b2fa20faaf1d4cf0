import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, type ApiAnswer } from '../setup/api.ts';
import { expectError } from '../setup/expect-error.ts';
import { startHearth, type HearthProcess } from '../setup/hearth-process.ts';
import { makeHarbourHome, type HarbourHome } from '../setup/mcp/harbour.ts';
import { startStreamableServer, type TestMcpServer } from '../setup/mcp/streamable-server.ts';

type Headers = Readonly<Record<string, string>>;

let place: HarbourHome;
let server: TestMcpServer;
let hearth: HearthProcess;
let trusted: Headers;

beforeAll(async () => {
  place = await makeHarbourHome();
  trusted = await place.bearer('chat', 'plugins', 'ephemeral-mcp');
  server = await startStreamableServer();
  hearth = await startHearth({
    home: place.home,
    flags: ['--mcp-allow-plugins', '--mcp-allow-ephemeral'],
  });
});
afterAll(async () => {
  await hearth.stop();
  await server.close();
  await place.remove();
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

it('gives plugins only to a token that may use them, streamed or not', async () => {
  const chatting = await place.bearer('chat', 'ephemeral-mcp');
  for (const stream of [false, true]) {
    const anonymous = await send('mcp/harbour', {}, { stream });
    expectError(anonymous, forbidden('need a token with the permission plugins'));
    const lacking = await send('mcp/harbour', chatting, { stream });
    expectError(lacking, forbidden('lacks the permission plugins'));
  }
  expect(await place.journal()).toEqual([]);
});

it('gives tool servers of a request only to a token that may name them', async () => {
  const answer = await send(ephemeral(), await place.bearer('chat', 'plugins'));
  expectError(answer, forbidden('need the permission ephemeral-mcp'));
});

it('reaches no host with a private address that is not allowed', async () => {
  const message = /"adder" may not be reached.*mcp\.allowedHosts/;
  const answer = await send(ephemeral(), trusted);
  expectError(answer, forbidden(message, 'integrations[0].server_url'));
  expect(server.requests).toEqual([]);
});

it('names what there is where something else is asked for', async () => {
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

it('allows neither by default, whatever the token', async () => {
  await hearth.stop();
  hearth = await startHearth({ home: place.home });
  expectError(await send('mcp/harbour', trusted), forbidden('mcp.allowPlugins'));
  expectError(await send('mcp/speech-script', trusted), forbidden('mcp.allowPlugins'));
  expectError(await send(ephemeral(), trusted), forbidden('mcp.allowEphemeral'));
});

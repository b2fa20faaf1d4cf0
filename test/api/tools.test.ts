import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import { chatResultSchema, type ChatResult } from '../../src/api/v1/chat/chat-schema.ts';
import { storedResponseSchema } from '../../src/api/v1/responses/stored-response-schema.ts';
import { get, post } from '../setup/server/api.ts';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';

type Headers = Readonly<Record<string, string>>;

let place: Harbour;
let trusted: Headers;

const files = useTemporaryFolder();
const adder = useResource(() => startStreamableServer());
const hearth = useHearth(async (home) => {
  await writeFile(join(files.path, 'note.txt'), 'remember the milk');
  place = await addHarbour(home, {
    everything: { command: process.execPath, args: [officialServer('server-everything')] },
    files: { command: process.execPath, args: [officialServer('server-filesystem'), files.path] },
  });
  trusted = await place.bearer('chat', 'plugins');
  return {
    flags: [
      '--mcp-allow-plugins',
      '--mcp-allow-ephemeral',
      `--mcp-allowed-hosts=${new URL(adder.url).host}`,
    ],
  };
});
beforeEach(() => place.turnPage());

/** The model is small, and some of its answers are nonsense, so they are kept short. */
async function say(
  input: string,
  integrations: readonly unknown[] = [],
  more: Readonly<Record<string, unknown>> = {},
  headers: Headers = trusted,
): Promise<ChatResult> {
  const request = {
    model: 'hearth/starter-chat',
    input,
    integrations,
    temperature: 0,
    reasoning: 'off',
    max_output_tokens: 80,
    ...more,
  };
  const { status, body } = await post(hearth.url, '/api/v1/chat', request, { headers });
  expect(status, JSON.stringify(body)).toBe(200);
  return chatResultSchema.parse(body);
}

const harbour = (...allowedTools: readonly string[]) => ({
  type: 'plugin',
  id: 'mcp/harbour',
  allowed_tools: allowedTools,
});
const weatherOf = (input: string) => say(input, [harbour('get_weather', 'check_tide')]);
const blocks = (text: string): string => JSON.stringify([{ type: 'text', text }]);

describe('a plugin', () => {
  // covers service-6, v1-output-2, v1-output-3, v1-output-5, v1-output-6, v1-output-11
  it('is called with the values of the user, and its result is used', async () => {
    const { output, stats } = await weatherOf('What is the weather in Lisbon?');
    expect(output).toEqual([
      {
        type: 'tool_call',
        tool: 'get_weather',
        arguments: { city: 'Lisbon' },
        output: blocks('{"temperature":14,"sky":"cloudy"}'),
        provider_info: { type: 'plugin', plugin_id: 'mcp/harbour' },
      },
      { type: 'message', content: 'The temperature is 14. The sky is cloudy.' },
    ]);
    expect(await place.journal()).toContainEqual({
      called: 'get_weather',
      input: { city: 'Lisbon' },
    });
    // There are two generations; the second prompt contains the call and its result.
    const { stats: once } = await say('Hello!', [harbour('get_weather', 'check_tide')]);
    expect(stats.input_tokens).toBeGreaterThan(2 * once.input_tokens);
    expect(stats.total_output_tokens).toBeGreaterThan(once.total_output_tokens);
  });

  it('is not called if the request is invalid', async () => {
    const { output } = await say('What is the capital of France?', ['mcp/harbour']);
    expect(output).toEqual([{ type: 'message', content: 'The capital of France is Paris.' }]);
  });

  // covers v1-integration-1, v1-integration-3, v1-integration-5, v1-output-11
  it('offers only what allowed_tools names', async () => {
    const question = 'What is the weather in Lisbon?';
    const { output } = await say(question, [harbour('check_tide')]);
    expect(output[0]).toMatchObject({ type: 'tool_call', tool: 'check_tide' });
    expect((await place.journal()).filter(({ called }) => called === 'get_weather')).toEqual([]);
    const tokensWith = async (...integrations: readonly unknown[]): Promise<number> =>
      (await say('Hello!', integrations)).stats.input_tokens;
    const [none, one, all] = [
      await tokensWith(harbour()),
      await tokensWith(harbour('check_tide')),
      await tokensWith('mcp/harbour'),
    ];
    expect(none).toBe(await tokensWith());
    expect(one).toBeGreaterThan(none);
    expect(all).toBeGreaterThan(one);
  });

  // covers v1-output-10
  it('may exit during a call, which is a result like others', async () => {
    const { output } = await say('Get the wind of Lisbon', [harbour('get_wind')]);
    expect(output.map(({ type }) => type)).toEqual(['tool_call', 'message']);
    expect(output[0]).toMatchObject({
      tool: 'get_wind',
      output: blocks('The tool server failed: its process has gone (exit code 3): out of wind'),
      is_error: true,
    });
    // The next request gets a new process.
    const { output: next } = await weatherOf('What is the weather in Lisbon?');
    expect(next.at(-1)).toMatchObject({ content: expect.stringContaining('14') });
  });

  it('from elsewhere works too: server-everything and server-filesystem', async () => {
    const plugin = (id: string, tool: string) => ({ type: 'plugin', id, allowed_tools: [tool] });
    const sum = await say('Add 2 and 40.', [plugin('mcp/everything', 'get-sum')]);
    expect(sum.output[0]).toMatchObject({
      arguments: { a: 2, b: 40 },
      output: blocks('The sum of 2 and 40 is 42.'),
    });
    const echo = await say('Echo the message hello', [plugin('mcp/everything', 'echo')]);
    expect(echo.output[0]).toMatchObject({
      arguments: { message: 'hello' },
      output: blocks('Echo: hello'),
    });
    const read = await say('Read the file note.txt', [plugin('mcp/files', 'read_text_file')]);
    expect(read.output).toMatchObject([
      { tool: 'read_text_file', arguments: { path: 'note.txt' } },
      { content: 'The result is: remember the milk' },
    ]);
  });

  // covers v1-integration-1, script-11
  it('is built in: the formatter of speech scripts', async () => {
    const { output } = await say('Call format with text Hello', ['mcp/speech-script']);
    expect(output[0]).toMatchObject({
      tool: 'format',
      arguments: { text: 'Hello' },
      provider_info: { plugin_id: 'mcp/speech-script' },
    });
    const [item] = output;
    const [block] = item?.type === 'tool_call' ? JSON.parse(item.output) : [];
    expect(JSON.parse(block.text)).toMatchObject({ mode: 'single', script: 'Speaker 1: Hello' });
  });
});

describe('the next turn', () => {
  // covers v1-integration-15
  it('shows no markup where it has no tools any more', async () => {
    const first = await weatherOf('What is the weather in Lisbon?');
    const { output } = await say('What is the weather in Paris?', [], {
      previous_response_id: first.response_id,
    });
    expect(JSON.stringify(output.filter(({ type }) => type === 'message'))).not.toMatch(
      /tool_call/,
    );
    for (const item of output) expect(item.type).not.toBe('tool_call');
  });

  // covers v1-chat-25
  it('answers from the result without another call, and shows nothing of our own', async () => {
    const first = await weatherOf('What is the weather in Lisbon?');
    await place.turnPage();
    const after = { previous_response_id: first.response_id };
    for (const integrations of [[], ['mcp/harbour']]) {
      const second = await say('What is the temperature?', integrations, after);
      expect(second.output).toEqual([{ type: 'message', content: 'The temperature is 14.' }]);
    }
    expect((await place.journal()).filter(({ called }) => called !== undefined)).toEqual([]);

    const path = `/api/v1/responses/${first.response_id}`;
    const { body } = await get(hearth.url, path, { headers: trusted });
    expect(storedResponseSchema.parse(body).output).toEqual(first.output);
    expect(body.output).toEqual(first.output);
    expect(Object.keys(body.output[0]).toSorted()).toEqual([
      'arguments',
      'output',
      'provider_info',
      'tool',
      'type',
    ]);
  });
});

describe('a tool server that a request names', () => {
  // covers service-7, v1-integration-4, v1-output-6
  it('is called if its host is allowed, with the headers of the request', async () => {
    const integration = {
      type: 'ephemeral_mcp',
      server_label: 'adder',
      server_url: adder.url,
      allowed_tools: ['add'],
      headers: { 'x-key': 'secret' },
    };
    // If the server requires no tokens, none is needed here.
    const { output } = await say('Add 2 and 3.', [integration], {}, {});
    expect(output[0]).toMatchObject({
      tool: 'add',
      arguments: { a: 2, b: 3 },
      output: blocks('5'),
      provider_info: { type: 'ephemeral_mcp', server_label: 'adder' },
    });
    expect(adder.requests.length).toBeGreaterThan(2);
    expect(adder.requests.every((request) => request.headers['x-key'] === 'secret')).toBe(true);
  });

  // covers v1-integration-6
  it('offers all its tools without allowed_tools', async () => {
    const server = { type: 'ephemeral_mcp', server_label: 'adder', server_url: adder.url };
    const tokensWith = async (more: object): Promise<number> =>
      (await say('Hello!', [{ ...server, ...more }], {}, {})).stats.input_tokens;
    const all = await tokensWith({});
    expect(all).toBe(await tokensWith({ allowed_tools: ['add', 'wait'] }));
    expect(all).toBeGreaterThan(await tokensWith({ allowed_tools: ['add'] }));
  });
});

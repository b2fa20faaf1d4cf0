import { beforeEach, describe, expect, it } from 'vitest';
import { chatResultSchema, type ChatResult } from '../../src/api/v1/chat/chat-schema.ts';
import { get, post, stream, type ApiAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';

const model = 'hearth/starter-chat';
const provider = { type: 'plugin', plugin_id: 'mcp/harbour' };
const done: ScriptedGeneration = { text: 'Done.' };
const weather = ['get_weather', '{"city":"Brest"}'] as const;

let place: Harbour;
let headers: { readonly authorization: string };

const hearth = useHearth(async (home) => {
  place = await addHarbour(home);
  headers = await place.bearer('chat', 'plugins', 'models:read', 'models:write');
  const program = await writeScriptedEngine(home);
  return {
    flags: ['--mcp-allow-plugins', '--chat-max-tool-rounds=3', `--engine-llama-server=${program}`],
  };
});
beforeEach(() => place.turnPage());

const requestFor = (script: readonly ScriptedGeneration[], previous?: string) => ({
  model,
  input: JSON.stringify(script),
  integrations: ['mcp/harbour'],
  ...(previous === undefined ? {} : { previous_response_id: previous }),
});
const send = (body: object): Promise<ApiAnswer> =>
  post(hearth.url, '/api/v1/chat', body, { headers });

async function say(script: readonly ScriptedGeneration[]): Promise<ChatResult> {
  const { status, body } = await send(requestFor(script));
  expect(status, JSON.stringify(body)).toBe(200);
  return chatResultSchema.parse(body);
}

const calledTools = async (): Promise<readonly unknown[]> =>
  (await place.journal()).flatMap(({ called }) => called ?? []);

describe('an invalid call is reported, and the model continues', () => {
  // covers v1-output-7, v1-output-8, v1-output-9
  it.each<[string, readonly [string, string], object, RegExp]>([
    [
      'an unknown name',
      ['get_rain', '{}'],
      { type: 'invalid_name', tool_name: 'get_rain' },
      /There is no tool "get_rain"\. The tools are: get_weather, check_tide, /,
    ],
    [
      'arguments of another type',
      ['get_weather', '{"city":7}'],
      {
        type: 'invalid_arguments',
        tool_name: 'get_weather',
        arguments: { city: 7 },
        provider_info: provider,
      },
      /arguments\/city must be string/,
    ],
    [
      'arguments that lack one',
      ['get_weather', ''],
      {
        type: 'invalid_arguments',
        tool_name: 'get_weather',
        arguments: {},
        provider_info: provider,
      },
      /required property 'city'/,
    ],
    [
      'arguments that are not JSON',
      ['get_weather', '{"city":'],
      { type: 'invalid_arguments', tool_name: 'get_weather', provider_info: provider },
      /not a JSON object/,
    ],
    [
      'arguments that are not an object',
      ['get_weather', '["Brest"]'],
      { type: 'invalid_arguments', tool_name: 'get_weather', provider_info: provider },
      /not a JSON object/,
    ],
  ])('%s', async (_, call, metadata, reason) => {
    const { output } = await say([{ calls: [call] }, { calls: [weather] }, done]);
    expect(output).toEqual([
      { type: 'invalid_tool_call', reason: expect.stringMatching(reason), metadata },
      expect.objectContaining({ type: 'tool_call', tool: 'get_weather' }),
      { type: 'message', content: 'Done.' },
    ]);
    expect(await calledTools()).toEqual(['get_weather']);
  });

  it('output that the engine cannot parse, without an error of the server', async () => {
    const script = [{ text: '<tool_call>{', isMalformed: true }];
    const { output, response_id: id } = await say(script);
    expect(output).toEqual([
      { type: 'message', content: '<tool_call>{' },
      {
        type: 'invalid_tool_call',
        reason: expect.stringContaining('cannot be parsed'),
        metadata: { type: 'invalid_name', tool_name: '' },
      },
    ]);
    // The conversation can continue.
    const next = await send(requestFor([done], id));
    expect(next.status).toBe(200);
  });
});

describe('many calls', () => {
  // covers v1-integration-11
  it('of one generation are executed concurrently and reported in order', async () => {
    const tide = ['check_tide', '{"harbour":"Brest"}'] as const;
    const { output, stats } = await say([{ calls: [weather, ['nothing', '{}'], tide] }, done]);
    expect(output.map((item) => (item.type === 'tool_call' ? item.tool : item.type))).toEqual([
      'get_weather',
      'invalid_tool_call',
      'check_tide',
      'message',
    ]);
    expect(new Set(await calledTools())).toEqual(new Set(['get_weather', 'check_tide']));
    // The prompt grows from one message to five: the answer with its calls, and three results.
    expect(stats).toMatchObject({ input_tokens: 1 + 5, total_output_tokens: 2 });
  });

  // covers v1-integration-10
  it('one after the other end at chat.maxToolRounds, with an answer', async () => {
    const { output } = await say([{ calls: [weather] }]);
    expect(output.map(({ type }) => type)).toEqual([
      'tool_call',
      'tool_call',
      'tool_call',
      'message',
    ]);
    expect(output.at(-1)).toEqual({ type: 'message', content: 'I stop.' });
  });
});

describe('a model whose turn waits for a tool', () => {
  const ferry: readonly ScriptedGeneration[] = [
    { calls: [['find_ferry', '{"harbour":"Brest"}']] },
    done,
  ];
  const unload = () =>
    post(hearth.url, '/api/v1/models/unload', { instance_id: model }, { headers });
  const loaded = async (): Promise<readonly string[]> => {
    const { body } = await get(hearth.url, '/api/v1/models', { headers });
    return body.models.flatMap(
      ({ loaded_instances: all }: { loaded_instances: { id: string }[] }) =>
        all.map(({ id }) => id),
    );
  };

  // covers v1-chat-31
  it('is not evicted for another model, and fails the turn when it is unloaded by name', async () => {
    const answer = send(requestFor(ferry));
    await place.pidOnCall('find_ferry');
    const other = { model: 'hearth/starter-vision', input: JSON.stringify([done]) };
    expect((await send(other)).status).toBe(200);
    expect(await loaded()).toContain(model);
    expect((await unload()).status).toBe(200);
    expectError(await answer, { code: 'unloaded', message: /was unloaded while it worked/ });
  });

  it('fails a stream too', async () => {
    const streaming = stream(
      hearth.url,
      '/api/v1/chat',
      { ...requestFor(ferry), stream: true },
      { headers },
    );
    await place.pidOnCall('find_ferry');
    await unload();
    const events = await streaming;
    expect(events.map(({ event }) => event).slice(-2)).toEqual(['error', 'chat.end']);
    expect(JSON.parse(events.at(-2)?.data ?? '')).toMatchObject({ error: { code: 'unloaded' } });
  });
});

import { expect, it } from 'vitest';
import { chatEventSchema, type ChatEvent } from '../../src/api/v1/chat/chat-event-schema.ts';
import { post, stream } from '../setup/server/api.ts';
import { normalizeEvents } from '../setup/server/normalize-events.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { addHarbour } from '../setup/mcp/harbour.ts';

let headers: { readonly authorization: string };

const hearth = useHearth(async (home) => {
  const place = await addHarbour(home);
  headers = await place.bearer('chat', 'plugins');
  return { flags: ['--mcp-allow-plugins'] };
});

const requestFor = (input: string, tool: string) => ({
  model: 'hearth/starter-chat',
  input,
  integrations: [{ type: 'plugin', id: 'mcp/harbour', allowed_tools: [tool] }],
  temperature: 0,
  reasoning: 'off',
  max_output_tokens: 80,
});

async function chat(input: string, tool: string): Promise<readonly ChatEvent[]> {
  const request = requestFor(input, tool);
  const events = await stream(hearth.url, '/api/v1/chat', request, { headers });
  return events.map(({ event, data }) => {
    const parsed = chatEventSchema.parse(JSON.parse(data));
    expect(parsed.type).toBe(event);
    return parsed;
  });
}

const typesOf = (events: readonly ChatEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);

const secondRound = [
  'prompt_processing.start',
  'prompt_processing.progress',
  'prompt_processing.end',
  'message.start',
  'message.delta',
  'message.end',
  'chat.end',
];

// covers v1-event-5, v1-event-7
it('reports prompt, call, result and answer in this order', async () => {
  const question = 'What is the weather in Lisbon?';
  const events = await chat(question, 'get_weather');
  await expect(normalizeEvents(events)).toMatchFileSnapshot('../fixtures/v1-chat-tools.sse');
  const types = typesOf(events);
  expect(types.slice(types.indexOf('tool_call.start'))).toEqual([
    'tool_call.start',
    'tool_call.arguments',
    'tool_call.success',
    ...secondRound,
  ]);

  const last = events.at(-1);
  const streamed = last?.type === 'chat.end' ? last.result : undefined;
  const request = requestFor(question, 'get_weather');
  const { body } = await post(hearth.url, '/api/v1/chat', request, { headers });
  expect(streamed?.output).toEqual(body.output);
  expect(streamed?.stats).toMatchObject({
    input_tokens: body.stats.input_tokens,
    total_output_tokens: body.stats.total_output_tokens,
  });
  expect(events).toContainEqual({ ...body.output[0], type: 'tool_call.success' });
});

// covers v1-event-6
it('reports a call whose arguments do not fit, and continues', async () => {
  const events = await chat('Get the population of Lisbon', 'get_population');
  const end = events.findIndex(({ type }) => type === 'tool_call.failure') + 1;
  // Models react to the failure differently.
  const fixture = '../fixtures/v1-chat-tool-failure.sse';
  await expect(normalizeEvents(events.slice(0, end))).toMatchFileSnapshot(fixture);
  expect(typesOf(events.slice(end))).toEqual(secondRound);
  const last = events.at(-1);
  const [call] = last?.type === 'chat.end' ? last.result.output : [];
  expect(call).toMatchObject({
    type: 'invalid_tool_call',
    reason: expect.stringContaining('arguments/city must match format "email"'),
    metadata: {
      type: 'invalid_arguments',
      tool_name: 'get_population',
      arguments: { city: 'Lisbon' },
      provider_info: { type: 'plugin', plugin_id: 'mcp/harbour' },
    },
  });
  expect(events[end - 1]).toEqual({ ...call, type: 'tool_call.failure' });
});

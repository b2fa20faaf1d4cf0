import { describe, expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const model = 'hearth/starter-chat';
const parameters = {
  type: 'object',
  properties: { harbour: { type: 'string' } },
  required: ['harbour'],
};
const tide = { name: 'get_tide', description: 'Tide of a harbour', parameters };
const schema = {
  type: 'object',
  properties: { sum: { type: 'integer', minimum: 0, maximum: 9 } },
  required: ['sum'],
  additionalProperties: false,
};
const efforts = ['none', 'high'] as const;

/** Calls and JSON of an answer, and whether it has reasoning. */
interface Answer {
  readonly calls: readonly string[];
  readonly json: unknown;
  readonly hasReasoning: boolean;
}

async function complete(content: string, more: object): Promise<Answer> {
  const { status, body } = await post(hearth.url, '/v1/chat/completions', {
    model,
    temperature: 0,
    messages: [{ role: 'user', content }],
    tools: [{ type: 'function', function: tide }],
    response_format: { type: 'json_schema', json_schema: { name: 'sum', strict: true, schema } },
    ...more,
  });
  expect(status).toBe(200);
  const [{ message, finish_reason: reason }] = body.choices;
  const calls = message.tool_calls ?? [];
  expect(reason).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
  return {
    calls: calls.map((call: any) => `${call.function.name} ${call.function.arguments}`), // oxlint-disable-line typescript/no-explicit-any
    json: message.content ? JSON.parse(message.content) : null,
    hasReasoning: message.reasoning_content !== undefined,
  };
}

async function respond(input: string, effort: string, more: object): Promise<Answer> {
  const { status, body } = await post(hearth.url, '/v1/responses', {
    model,
    input,
    temperature: 0,
    store: false,
    reasoning: { effort },
    tools: [{ type: 'function', ...tide }],
    text: { format: { type: 'json_schema', name: 'sum', strict: true, schema } },
    ...more,
  });
  expect(status).toBe(200);
  const ofType = (type: string) => body.output.filter((item: any) => item.type === type); // oxlint-disable-line typescript/no-explicit-any
  const [message] = ofType('message');
  return {
    calls: ofType('function_call').map((call: any) => `${call.name} ${call.arguments}`), // oxlint-disable-line typescript/no-explicit-any
    json: message === undefined ? null : JSON.parse(message.content[0].text),
    hasReasoning: ofType('reasoning').length > 0,
  };
}

describe.each(efforts)('a response format with tools and reasoning %s', (effort) => {
  const hasReasoning = effort === 'high';

  it('lets the model call a tool', async () => {
    expect(await complete('Get the tide of Brest', { reasoning_effort: effort })).toEqual({
      calls: ['get_tide {"harbour": "Brest"}'],
      json: null,
      hasReasoning,
    });
  });

  it('holds the answer where no tool may be called', async () => {
    const more = { reasoning_effort: effort, tool_choice: 'none' };
    expect(await complete('What is 2 + 3?', more)).toEqual({
      calls: [],
      json: { sum: expect.any(Number) },
      hasReasoning,
    });
  });

  it('does the same in responses', async () => {
    expect(await respond('Get the tide of Brest', effort, {})).toEqual({
      calls: ['get_tide {"harbour": "Brest"}'],
      json: null,
      hasReasoning,
    });
    expect(await respond('What is 2 + 3?', effort, { tool_choice: 'none' })).toEqual({
      calls: [],
      json: { sum: expect.any(Number) },
      hasReasoning,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { bundleScript } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';

let place: Harbour;
const hearth = useHearth(async (home) => {
  const script = await bundleScript('test/setup/mcp/stdio-server.ts', home);
  place = await addHarbour(home, {
    costly: { command: process.execPath, args: [script, 'costly-schemas'] },
  });
  return { flags: ['--mcp-allow-plugins'] };
});

const text = { type: 'string' };
const branch = { type: 'array', items: { $ref: '#/$defs/node' } };
const schemas: readonly (readonly [string, unknown])[] = [
  ['letters that count down', { ...text, minLength: 5, maxLength: 2 }],
  ['items that count down', { type: 'array', items: text, minItems: 5, maxItems: 2 }],
  ['a pattern that counts down', { ...text, pattern: '^a{5,2}$' }],
  ['many items', { type: 'array', minItems: 5000 }],
  ['many letters', { ...text, minLength: 1e9 }],
  ['a pattern that may be empty', { ...text, pattern: '^((a?){40}){40}$' }],
  ['a list in two ways', { anyOf: [branch, branch] }],
  ['a reference to elsewhere', { $ref: 'https://example.com/a.json' }],
  ['nothing', false],
];

const ask = (more: Readonly<Record<string, unknown>>) =>
  post(hearth.url, '/api/v0/chat/completions', {
    model: 'hearth/starter-chat',
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 20,
    temperature: 0,
    ...more,
  });
const around = (schema: unknown) => ({
  type: 'object',
  properties: { a: schema },
  required: ['a'],
  $defs: { node: { anyOf: [branch, branch] } },
});

describe.each(schemas)('a schema with %s', (_, schema) => {
  it('is loosened for a tool', async () => {
    const tool = { type: 'function', function: { name: 'f', parameters: around(schema) } };
    const { status, body } = await ask({ tools: [tool], tool_choice: 'required' });
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await get(hearth.url, '/health')).status).toBe(200);
  });

  it('is rejected as response format', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: around(schema) } };
    expectError(await ask({ response_format: format }), {
      code: 'invalid_value',
      param: 'response_format.json_schema.schema',
      message: /cannot enforce the schema: at `#\//,
      isV0: true,
    });
  });
});

it('may come from a tool server as well', async () => {
  const request = {
    model: 'hearth/starter-chat',
    input: 'Hello!',
    integrations: ['mcp/costly'],
    max_output_tokens: 20,
  };
  const headers = await place.bearer('chat', 'plugins');
  const { status, body } = await post(hearth.url, '/api/v1/chat', request, { headers });
  expect(status, JSON.stringify(body)).toBe(200);
  const { output, stats } = body;
  expect(output).not.toEqual([]);
  expect(stats.total_output_tokens).toBeGreaterThan(0);
});

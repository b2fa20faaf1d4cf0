import { describe, expect, it } from 'vitest';
import { get, post, toAnswer, type ApiAnswer } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth({ flags: ['--engine-parallel=2'] });

const model = 'hearth/starter-chat';
const text = { type: 'string' };
const names = (count: number) => Array.from({ length: count }, (_, index) => `name${index}`);
const nested = (depth: number): object => {
  let schema: object = text;
  for (let level = 0; level < depth; level += 1) schema = { type: 'array', items: schema };
  return schema;
};
/** Each level has two branches, so there are 2 to the power of the depth. */
const doubling = Object.fromEntries(
  names(40).map((name, index) => [
    name,
    { anyOf: [{ $ref: `#/$defs/name${index + 1}` }, { $ref: `#/$defs/name${index + 1}` }] },
  ]),
);

/** Schemas that are short but expensive; each is the schema of a field `a`. */
const bombs: readonly (readonly [string, object])[] = [
  ['a pattern that backtracks', { ...text, pattern: '^(a+)+$' }],
  ['repeated repetitions', { ...text, pattern: '^((a{0,200}){0,200}){0,200}$' }],
  ['a pattern with a lookahead', { ...text, pattern: '^(?=.*a)(?!b).*$' }],
  ['a pattern that is not one', { ...text, pattern: '^((((' }],
  ['a long pattern', { ...text, pattern: `^${'(a|b)'.repeat(5000)}$` }],
  ['100,000 values', { enum: names(100_000) }],
  [
    '10,000 optional fields',
    { type: 'object', properties: Object.fromEntries(names(10_000).map((name) => [name, text])) },
  ],
  ['200 levels', nested(200)],
  ['a definition that doubles 40 times', { $ref: '#/$defs/name0' }],
  ['a definition of itself', { $ref: '#/$defs/self' }],
  ['all definitions at once', { allOf: names(40).map((name) => ({ $ref: `#/$defs/${name}` })) }],
  ['items beyond all bounds', { type: 'array', items: text, minItems: 1e9, maxItems: 1e9 }],
  ['numbers beyond all bounds', { type: 'integer', minimum: -1e300, maximum: 1e300 }],
];
const around = (schema: object) => ({
  type: 'object',
  properties: { a: schema },
  required: ['a'],
  $defs: { ...doubling, name40: text, self: { $ref: '#/$defs/self' } },
});
type JsonSchema = ReturnType<typeof around>;

const messages = [{ role: 'user', content: 'Hello!' }];
const chat = { model, messages, max_tokens: 8, temperature: 0 };
const tool = (parameters: JsonSchema) => ({
  type: 'function',
  function: { name: 'f', parameters },
});
const format = (schema: JsonSchema) => ({
  type: 'json_schema',
  json_schema: { name: 'a', schema },
});
const ollama = { model, messages, stream: false, options: { num_predict: 8 } };

/** All APIs and fields that accept a schema. */
const places: readonly (readonly [string, string, (schema: JsonSchema) => object])[] = [
  [
    'a tool',
    '/api/v0/chat/completions',
    (a) => ({ ...chat, tools: [tool(a)], tool_choice: 'required' }),
  ],
  ['the format', '/api/v0/chat/completions', (a) => ({ ...chat, response_format: format(a) })],
  [
    'a tool',
    '/v1/chat/completions',
    (a) => ({ ...chat, tools: [tool(a)], tool_choice: 'required' }),
  ],
  ['the format', '/v1/chat/completions', (a) => ({ ...chat, response_format: format(a) })],
  ['guided_json', '/v1/chat/completions', (a) => ({ ...chat, guided_json: JSON.stringify(a) })],
  ['json_schema', '/v1/chat/completions', (a) => ({ ...chat, json_schema: a })],
  [
    'structured_outputs',
    '/v1/chat/completions',
    (a) => ({ ...chat, structured_outputs: { json: a } }),
  ],
  [
    'a tool',
    '/v1/responses',
    (a) => ({
      model,
      input: 'Hello!',
      store: false,
      max_output_tokens: 8,
      tools: [{ type: 'function', name: 'f', parameters: a }],
      tool_choice: 'required',
    }),
  ],
  [
    'the format',
    '/v1/responses',
    (a) => ({
      model,
      input: 'Hello!',
      store: false,
      max_output_tokens: 8,
      text: { format: { type: 'json_schema', name: 'a', schema: a } },
    }),
  ],
  [
    'a tool',
    '/v1/messages',
    (a) => ({
      ...chat,
      tools: [{ name: 'f', input_schema: a }],
      tool_choice: { type: 'any' },
    }),
  ],
  [
    'the format',
    '/v1/messages',
    (a) => ({ ...chat, output_config: { format: { type: 'json_schema', schema: a } } }),
  ],
  ['a tool', '/api/chat', (a) => ({ ...ollama, tools: [tool(a)] })],
  ['the format', '/api/chat', (a) => ({ ...ollama, format: a })],
  ['the format', '/api/generate', (a) => ({ ...ollama, prompt: 'Hello!', format: a })],
];

const isHealthy = async () => (await get(hearth.url, '/health')).status;
const expectAnswer = ({ status, body }: ApiAnswer) =>
  expect([200, 400], JSON.stringify(body).slice(0, 300)).toContain(status);

describe.each(places)('%s of %s', (_, path, toBody) => {
  // covers error-21
  it('takes or refuses costly schemas and stays healthy', async () => {
    for (const [name, schema] of bombs) {
      const started = performance.now();
      const answer = post(hearth.url, path, toBody(around(schema)));
      expect(await isHealthy()).toBe(200);
      expectAnswer(await answer);
      const seconds = (performance.now() - started) / 1000;
      expect(seconds, name).toBeLessThan(20);
    }
    const { status, body } = await post(hearth.url, path, toBody(around({ type: 'boolean' })));
    expect(status, JSON.stringify(body)).toBe(200);
  });
});

it('takes or refuses them in a batch', async () => {
  const url = '/v1/chat/completions';
  const lines = bombs.map(([name, schema]) => ({
    custom_id: name,
    method: 'POST',
    url,
    body: { ...chat, response_format: format(around(schema)) },
  }));
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]), 'bombs.jsonl');
  const upload = await toAnswer(
    await fetch(`${hearth.url}/v1/files`, { method: 'POST', body: form }),
  );
  const request = { input_file_id: upload.body.id, endpoint: url, completion_window: '24h' };
  const { body: batch } = await post(hearth.url, '/v1/batches', request);
  const read = async () => (await get(hearth.url, `/v1/batches/${batch.id}`)).body;
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('completed');
  const { output_file_id: done, error_file_id: failed, request_counts: counts } = await read();
  expect(counts.completed + counts.failed).toBe(bombs.length);
  for (const id of [done, failed].filter((each) => each !== null)) {
    const { body } = await get(hearth.url, `/v1/files/${id}/content`);
    const results = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    for (const { response } of results) expect([200, 400]).toContain(response.status_code);
  }
});

describe('a constraint that is not a schema is refused by its name', () => {
  const bomb = 'root ::= (("a"?){1000}){1000} root';
  it.each([
    ['grammar', { grammar: bomb }],
    ['guided_grammar', { guided_grammar: bomb }],
    ['guided_regex', { guided_regex: '((a?){1000}){1000}' }],
    ['guided_choice', { guided_choice: names(1000) }],
    ['structural_tag', { structural_tag: {} }],
    ['structured_outputs.grammar', { structured_outputs: { grammar: bomb } }],
    ['structured_outputs.regex', { structured_outputs: { regex: '(a+)+$' } }],
  ])('%s', async (field, constraint) => {
    for (const [path, body] of [
      ['/api/v0/chat/completions', chat],
      ['/v1/chat/completions', chat],
      ['/v1/completions', { model, prompt: 'Hello!', max_tokens: 1 }],
      ['/api/v0/completions', { model, prompt: 'Hello!', max_tokens: 1 }],
    ] as const) {
      const { status, body: received } = await post(hearth.url, path, { ...body, ...constraint });
      expect([path, status], JSON.stringify(received)).toEqual([path, 400]);
      expect(field).toContain(received.error.param);
    }
  });
});

it('renders no template of a caller', async () => {
  const bomb =
    '{% for a in range(999999999) %}{% for b in range(999999999) %}{{ a }}{% endfor %}{% endfor %}';
  for (const [path, body] of [
    ['/v1/chat/completions', { ...chat, chat_template: bomb }],
    [
      '/v1/chat/completions',
      { ...chat, chat_template_kwargs: { chat_template: bomb, tools: bomb } },
    ],
    ['/api/generate', { ...ollama, prompt: 'Hello!', template: bomb }],
    [
      '/api/v1/chat',
      { model, input: bomb, system_prompt: bomb, max_output_tokens: 1, store: false },
    ],
  ] as const) {
    expectAnswer(await post(hearth.url, path, body));
    expect(await isHealthy()).toBe(200);
  }
});

it('ended no engine', () => {
  expect(hearth.log()).not.toMatch(/engine_crashed|"level":"error"/);
});

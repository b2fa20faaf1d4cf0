import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { memoryGrowth } from '../setup/server/peak-memory.ts';
import { runBatch, runBatchFile } from '../setup/server/run-batch.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth({ flags: ['--limits-body-bytes=8388608'] });

const model = 'hearth/starter-chat';
const mebibyte = 1024 * 1024;
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const doubling = {
  $defs: Object.fromEntries(
    many(40, (index) => [
      `d${index}`,
      { anyOf: many(2, () => ({ $ref: `#/$defs/d${index + 1}` })) },
    ]),
  ),
  type: 'object',
  properties: { a: { $ref: '#/$defs/d0' } },
  required: ['a'],
};
const schemas: readonly (readonly [string, object])[] = [
  ['a schema that doubles', { ...doubling, $defs: { ...doubling.$defs, d40: { type: 'string' } } }],
  ['a pattern that backtracks', { type: 'string', pattern: '^((a+)+)+$' }],
  ['100,000 values', { enum: many(100_000, (index) => `v${index}`) }],
];
const messages = [{ role: 'user', content: 'Hello!' }];

const chat = { model, messages, max_tokens: 4, temperature: 0 };
const chatBombs = new Map<string, object>([
  ...schemas.map(
    ([name, schema]) =>
      [
        name,
        { ...chat, response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } },
      ] as const,
  ),
  ['a grammar', { ...chat, grammar: 'root ::= (("a"?){1000}){1000} root' }],
  ['a regular expression', { ...chat, guided_regex: '((a?){1000}){1000}' }],
  ['deep JSON', { ...chat, metadata: deep(400) }],
  ['a giant n', { ...chat, n: 2 ** 31 }],
  ['as many choices as allowed', { ...chat, n: 128, max_tokens: 1 }],
  [
    '5,000 tools',
    {
      ...chat,
      tools: many(5000, (index) => ({ type: 'function', function: { name: `t${index}` } })),
    },
  ],
  ['a long text', { ...chat, messages: [{ role: 'user', content: 'x'.repeat(4 * mebibyte) }] }],
  [
    'a long text of escapes',
    { ...chat, messages: [{ role: 'user', content: '\n'.repeat(2 * mebibyte) }] },
  ],
  [
    'an image bomb',
    {
      ...chat,
      messages: [
        {
          role: 'user',
          content: many(1000, () => ({
            type: 'image_url',
            image_url: { url: 'data:image/png;base64,AAAA' },
          })),
        },
      ],
    },
  ],
  ['the last one', chat],
]);

const response = { model, input: 'Hello!', max_output_tokens: 4, temperature: 0, store: false };
const responseBombs = new Map<string, object>([
  ...schemas.map(
    ([name, schema]) =>
      [
        name,
        { ...response, text: { format: { type: 'json_schema', name: 'a', schema } } },
      ] as const,
  ),
  ['an unknown previous response', { ...response, previous_response_id: 'resp_of_this_line' }],
  [
    'references to no item',
    { ...response, input: many(1000, (index) => ({ type: 'item_reference', id: `msg_${index}` })) },
  ],
  [
    'a tool server at itself',
    {
      ...response,
      tools: [{ type: 'mcp', server_label: 'a', server_url: 'http://127.0.0.1:1/v1/batches' }],
    },
  ],
  [
    '5,000 tools',
    {
      ...response,
      tools: many(5000, (index) => ({ type: 'function', name: `t${index}`, parameters: {} })),
    },
  ],
  ['a giant number of calls', { ...response, max_tool_calls: Number.MAX_SAFE_INTEGER }],
  ['the last one', response],
]);

const embedding = { model: 'hearth/starter-embed', input: 'Hello!' };
const embeddingBombs = new Map<string, object>([
  ['100,000 texts', { ...embedding, input: many(100_000, () => 'a') }],
  ['deep JSON', { ...embedding, input: deep(400) }],
  ['a giant number of dimensions', { ...embedding, dimensions: 2 ** 31 - 1 }],
  ['a long text', { ...embedding, input: 'x '.repeat(mebibyte) }],
  ['unknown tokens', { ...embedding, input: [2 ** 31 - 1] }],
  ['the last one', embedding],
]);

/** Checks that other requests are served while a batch runs. */
async function besides<Result>(work: Promise<Result>): Promise<Result> {
  const done = new AbortController();
  const finished = work.finally(() => done.abort());
  finished.catch(() => {});
  while (!done.signal.aborted) {
    expect((await get(hearth.url, '/health')).status).toBe(200);
    const request = { model, input: 'Hello!', store: false, max_output_tokens: 2 };
    expect((await post(hearth.url, '/api/v1/chat', request)).status).toBe(200);
  }
  return finished;
}

describe('a batch of costly requests ends with an answer or an error for each', () => {
  it.each([
    ['/v1/chat/completions', chatBombs],
    ['/v1/responses', responseBombs],
    ['/v1/embeddings', embeddingBombs],
  ] as const)('%s', { timeout: 60_000 }, async (endpoint, bombs) => {
    const results = await besides(runBatch(hearth.url, endpoint, bombs));
    expect([...results.keys()].toSorted()).toEqual([...bombs.keys()].toSorted());
    for (const [name, { response: answer }] of results) {
      expect([200, 400, 403], name).toContain(answer?.status_code);
      const message = answer?.status_code === 200 ? 'Answered.' : answer?.body.error.message;
      expect(message, name).toMatch(/\.$/);
    }
    expect(results.get('the last one')?.response?.status_code).toBe(200);
  });
});

describe('a file of requests is refused as a whole, with its line', () => {
  const endpoint = '/v1/chat/completions';
  const line = (id: number | string, body: object = chat) =>
    JSON.stringify({ custom_id: `${id}`, method: 'POST', url: endpoint, body });
  const tools = many(50_000, (index) => ({ type: 'function', function: { name: `t${index}` } }));

  it.each([
    [
      'a line that does not end',
      () => `${line(1)}\n${' '.repeat(9 * mebibyte)}`,
      'line_too_long',
      2,
    ],
    ['50,001 requests', () => many(50_001, line).join('\n'), 'too_many_requests', 50_001],
    ['line ends alone', () => '\n'.repeat(20 * mebibyte), 'empty_file', null],
    ['deep JSON', () => '['.repeat(mebibyte), 'invalid_json_line', 1],
    ['50,000 tools', () => `${line(1)}\n${line(2, { ...chat, tools })}`, 'invalid_json_line', 2],
    ['bytes that are not text', () => Buffer.alloc(mebibyte, 0xff), 'invalid_json_line', 1],
    ['nothing but zeros', () => Buffer.alloc(mebibyte), 'invalid_json_line', 1],
  ])('%s', { timeout: 60_000 }, async (_, make, code, at) => {
    let batch;
    const growth = await memoryGrowth(hearth.pid, async () => {
      batch = await besides(runBatchFile(hearth.url, endpoint, make()));
    });
    expect(batch).toMatchObject({
      status: 'failed',
      errors: { data: [{ code, line: at }] },
      request_counts: { total: 0 },
    });
    expect(growth).toBeLessThan(300 * mebibyte);
  });
});

it('ended no engine', () => {
  expect(hearth.log()).not.toMatch(/engine_crashed|"level":"error"/);
});

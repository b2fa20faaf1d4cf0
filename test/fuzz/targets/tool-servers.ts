import type { Client } from '@modelcontextprotocol/client';
import { listTools, ToolListError } from '../../../src/tools/tool-list.ts';
import { callResultSchema, toToolResult } from '../../../src/tools/tool-content.ts';
import { CpuTimeError } from '../../../src/tools/within-cpu-time.ts';
import { TooManyValuesError, ValueMeter } from '../../../src/tools/value-meter.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const { signal } = new AbortController();
const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', pattern: '^[a-z]+$', maxLength: 40 },
    days: { type: 'integer', minimum: 1 },
    parts: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/part' }, { const: 'all' }] } },
  },
  required: ['city'],
  additionalProperties: false,
  $defs: { part: { enum: ['wind', 'rain'] } },
};
const messages = [
  {
    tools: [
      { name: 'get_weather', description: 'The weather.', inputSchema: schema, annotations: {} },
      { name: 'other', inputSchema: { type: 'object' } },
    ],
  },
  { tools: [], nextCursor: 'more' },
  {
    content: [
      { type: 'text', text: 'Rain.', annotations: { audience: ['user'] } },
      { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
    ],
    structuredContent: { rain: true },
    isError: false,
  },
];

/** Responses of tool servers: lists of tools, whose schemas are compiled, and results of calls. */
export const toolServers: FuzzTarget = {
  seeds: async () => messages.map((message) => Buffer.from(JSON.stringify(message))),
  words: [
    'tools',
    'nextCursor',
    'inputSchema',
    'pattern',
    '(a+)+$',
    '$ref',
    '#/$defs/part',
    '#',
    'allOf',
    'oneOf',
    'not',
    'if',
    'then',
    'patternProperties',
    'unevaluatedProperties',
    'prefixItems',
    '$dynamicRef',
    '$id',
    'resource',
    'structuredContent',
    'isError',
  ],
  run: async (input) => {
    new ValueMeter(10_000).add(input);
    const result: unknown = JSON.parse(input.toString());
    const answer = callResultSchema.safeParse(result);
    if (answer.success) toToolResult(answer.data);
    const client = {
      getServerCapabilities: () => ({ tools: {} }),
      request: async (_: unknown, expected: { parse(value: unknown): unknown }) =>
        expected.parse(result),
    };
    const { tools } = await listTools(client as unknown as Client, signal);
    for (const { schema: compiled } of tools) compiled.findIssue({ city: 'Oslo', days: 1e9 });
  },
  isDeclared: (error) =>
    error instanceof SyntaxError ||
    error instanceof TooManyValuesError ||
    error instanceof ToolListError ||
    error instanceof CpuTimeError ||
    (error instanceof Error && error.name === '$ZodError') ||
    (error instanceof Error && error.name === 'ZodError'),
};

import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toGrammarSchema } from './grammar-schema.ts';
import type { JsonSchema } from './schema-walk.ts';

const text = { type: 'string' };
const node = { $ref: '#/$defs/node' };
const safe = (schema: JsonSchema) => toGrammarSchema(schema, { nodes: 20_000 });
const withA = (a: unknown): JsonSchema => ({ type: 'object', properties: { a }, required: ['a'] });
const list = (items: unknown, more: JsonSchema = {}) => ({ type: 'array', items, ...more });
const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

describe('keeps a supported schema unchanged', () => {
  it.each<[string, JsonSchema]>([
    ['anything', {}],
    [
      'keywords that only a model reads',
      { title: 'A', description: 'B', default: { c: [1] }, not: text },
    ],
    ['counts and patterns', withA({ ...text, minLength: 1, maxLength: 1000, pattern: '^a+$' })],
    ['a list of 1,000', list(text, { minItems: 1000 })],
    ['ranges', withA({ type: 'integer', minimum: -5, exclusiveMaximum: 7 })],
    ['fractions', withA({ type: 'number', minimum: 0.2, maximum: 0.4 })],
    ['an enum', withA({ enum: times(1000, (index) => `value ${index}`) })],
    ['several types', withA({ type: ['string', 'null'] })],
    ['a tuple', { type: 'array', prefixItems: [text, {}] }],
    ['open objects', { type: 'object', additionalProperties: list(text) }],
    ['a reference', { ...withA(node), $defs: { node: text } }],
    [
      'a chain',
      { ...node, $defs: { node: withA({ anyOf: [node, { type: 'null' }], description: 'next' }) } },
    ],
    ['a tree', { ...node, $defs: { node: withA({ anyOf: [text, list(node), withA(node)] }) } }],
    ['keys with a meaning in JavaScript', JSON.parse('{"properties":{"__proto__":{}}}')],
  ])('%s', (_, schema) => {
    const { schema: copy, losses } = safe(schema);
    expect(losses).toEqual([]);
    expect(copy).toEqual(JSON.parse(JSON.stringify(schema)));
  });
});

describe('replaces by an equivalent', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ['true', withA(true), withA({})],
    ['lists of anything', withA(list(true)), withA({ type: 'array' })],
    ['a closed tuple', { prefixItems: [text, true], items: false }, { prefixItems: [text, {}] }],
    ['unused definitions', { ...text, $defs: { a: { pattern: '^(' } } }, text],
    ['references in ignored keywords', { ...text, not: { $ref: 'https://a.example/' } }, text],
    [
      'references to other places',
      { properties: { a: text, b: { $ref: '#/properties/a', title: 'B' } } },
      { properties: { a: text, b: { $ref: '#/$defs/a', title: 'B' } }, $defs: { a: text } },
    ],
    [
      'names that differ only in punctuation',
      {
        allOf: [{ $ref: '#/$defs/a.b' }, { $ref: '#/$defs/a-b' }],
        $defs: { 'a.b': text, 'a-b': {} },
      },
      {
        allOf: [{ $ref: '#/$defs/a_b' }, { $ref: '#/$defs/a_b_2' }],
        $defs: { a_b: text, a_b_2: {} },
      },
    ],
    [
      'the root in itself',
      withA({ $ref: '#' }),
      {
        ...withA({ $ref: '#/$defs/schema' }),
        $defs: { schema: withA({ $ref: '#/$defs/schema' }) },
      },
    ],
    [
      'bounds that it cannot express',
      withA({ type: 'integer', minimum: -1e300, maximum: 1e300 }),
      withA({ type: 'integer' }),
    ],
  ])('%s', (_, schema, copy) => expect(safe(schema)).toEqual({ schema: copy, losses: [] }));
});

describe('drops', () => {
  it.each<[string, unknown, unknown, string]>([
    ['nothing allowed', false, {}, 'allows nothing'],
    ['a value that is not a schema', null, {}, 'is not a schema'],
    ['many letters', { ...text, minLength: 5000 }, text, '`minLength` 5000: up to 1000'],
    ['a fractional length', { ...text, maxLength: 1.5 }, text, '`maxLength` 1.5'],
    ['a minimum length above the maximum', { ...text, minLength: 5, maxLength: 2 }, text, 'above'],
    [
      'a minimum of items above the maximum',
      list({}, { minItems: 5, maxItems: 2 }),
      list({}),
      'above',
    ],
    [
      'an empty range',
      { type: 'integer', minimum: 3, exclusiveMaximum: 3 },
      { type: 'integer' },
      'no integer',
    ],
    [
      'a range beyond the limit',
      { type: 'integer', minimum: 1e300 },
      { type: 'integer' },
      'out of range',
    ],
    ['an old exclusive range', { exclusiveMinimum: true }, {}, 'out of range'],
    ['a costly pattern', { ...text, pattern: '^(a?){999}$' }, text, '`pattern`'],
    ['an unknown type', { type: 'any' }, {}, 'the type "any"'],
    ['a huge enum', { enum: times(9000, (index) => `v${index}`) }, {}, '`enum`'],
    ['no alternatives', { anyOf: [] }, {}, '`anyOf`'],
    ['many alternatives', { oneOf: times(101, () => text) }, {}, '`oneOf`'],
    [
      'many optional properties',
      { properties: Object.fromEntries(times(201, (i) => [`p${i}`, text])) },
      {},
      'optional',
    ],
    [
      'a name that the engine rejects',
      { properties: { 'a]': text }, additionalProperties: true },
      {},
      'bracket',
    ],
    ['a remote reference', { $ref: 'https://a.example/' }, {}, 'refers to "https://a.example/"'],
    ['a missing target', { $ref: '#/$defs/none' }, {}, 'refers to "#/$defs/none"'],
    ['a reference into the prototype', { $ref: '#/__proto__/toString' }, {}, 'refers to'],
  ])('%s', (_, schema, copy, reason) => {
    expect(safe(withA(schema))).toEqual({
      schema: withA(copy),
      losses: [{ pointer: '#/properties/a', reason: expect.stringContaining(reason) }],
    });
  });

  it.each<[string, JsonSchema]>([
    ['itself', node],
    ['a choice of itself', { anyOf: [node, text] }],
    ['all of itself', { allOf: [node, text] }],
    ['lists of itself in two ways', { anyOf: [list(node), list(node, { minItems: 1 })] }],
    ['lists of itself or of anything', { anyOf: [list(node), {}] }],
  ])('drops a definition that is %s', (_, definition) => {
    const { schema, losses } = safe({ ...node, $defs: { node: definition } });
    expect(losses[0]?.reason).toContain('in a circle');
    expect(JSON.stringify(schema['$defs'])).not.toContain('$ref');
  });

  it.each<[string, JsonSchema]>([
    ['deep', times(70, () => 0).reduce<JsonSchema>((inner) => withA(inner), text)],
    [
      'wide',
      {
        type: 'object',
        properties: Object.fromEntries(times(3000, (i) => [`p${i}`, text])),
        required: times(3000, (i) => `p${i}`),
      },
    ],
    ['long', { description: 'a'.repeat(70_000) }],
    [
      'wide once expanded',
      {
        $ref: '#/$defs/d0',
        $defs: {
          ...Object.fromEntries(
            times(20, (i) => [
              `d${i}`,
              { anyOf: times(4, () => list({ $ref: `#/$defs/d${i + 1}` })) },
            ]),
          ),
          d20: text,
        },
      },
    ],
  ])('drops a schema that is too %s', (_, schema) => {
    expect(safe(schema)).toMatchObject({ schema: { type: 'object' }, losses: [{ pointer: '#' }] });
  });

  it('drops schemas beyond the budget of the request', () => {
    const budget = { nodes: 5 };
    expect(toGrammarSchema(withA(text), budget).losses).toEqual([]);
    expect(toGrammarSchema(withA(text), budget).losses).toEqual([]);
    expect(toGrammarSchema(withA(text), budget).schema).toEqual({ type: 'object' });
  });
});

describe('cutting a reference', () => {
  const to = (name: string) => ({ $ref: `#/$defs/${name}` });
  it.each<[string, JsonSchema]>([
    [
      'affects a branch that begins like the next one',
      {
        anyOf: [to('a')],
        $defs: { a: { type: 'string', anyOf: [to('a'), { items: to('a') }] } },
      },
    ],
    [
      'applies through another definition',
      {
        ...to('a'),
        $defs: {
          a: to('b'),
          b: { type: 'string', anyOf: [{ properties: { a: to('a') } }, to('a')] },
        },
      },
    ],
    [
      'applies to two that refer to each other',
      {
        anyOf: [to('b')],
        $defs: {
          a: { anyOf: [to('b'), { properties: { a: to('a') } }] },
          b: { type: 'integer', anyOf: [{ anyOf: [to('a'), {}] }, {}] },
        },
      },
    ],
    [
      'keeps the other keywords',
      {
        anyOf: [to('a')],
        $defs: { a: { anyOf: [{ ...to('a'), type: 'string' }, { items: to('a') }] } },
      },
    ],
  ])('%s', (_, original) => {
    const { schema: copy, losses } = safe(original);
    expect(losses).not.toEqual([]);
    expect(safe(copy)).toEqual({ schema: copy, losses: [] });
  });
});

describe('a random schema', () => {
  const { schema: anySchema } = fc.letrec<{ schema: JsonSchema; inner: JsonSchema }>((tie) => ({
    inner: fc.oneof({ maxDepth: 2 }, fc.constant<JsonSchema>({}), tie('schema')),
    schema: fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', 'integer', ['string', 'null']),
        enum: fc.constantFrom([1], ['a', null]),
        minLength: fc.constantFrom(0, 2, 5000),
        maxLength: fc.constantFrom(1, 3, 5000),
        minItems: fc.constantFrom(0, 1, 2000),
        minimum: fc.constantFrom(-1, 0.5, 1e300),
        maximum: fc.constantFrom(-2, 7, 1e300),
        pattern: fc.constantFrom('^a*$', '^(a?){999}$', 'é'),
        properties: fc.dictionary(fc.constantFrom('a', 'b]', 'c'), tie('inner'), { maxKeys: 2 }),
        required: fc.subarray(['a', 'c']),
        additionalProperties: fc.oneof(fc.boolean(), tie('inner')),
        items: fc.oneof(fc.boolean(), tie('inner')),
        anyOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }),
        $ref: fc.constantFrom('#/$defs/a', '#/$defs/b'),
      },
      { requiredKeys: [] },
    ),
  }));
  const anyValue = fc.jsonValue({ maxDepth: 2 });
  const likely = fc.oneof(
    anyValue,
    fc.constantFrom('', 'a', 'aa', null, 1, [], ['a'], {}, { a: 'a' }, { a: { a: [] }, c: 1 }),
  );

  it('still allows every value it allowed, and converting it again changes nothing', () => {
    fc.assert(
      fc.property(anySchema, anySchema, anySchema, likely, (schema, a, b, value) => {
        const original = { ...schema, $defs: { a, b } };
        const { schema: copy } = safe(original);
        expect(safe(copy)).toEqual({ schema: copy, losses: [] });
        const compile = (one: AnySchema) => new Ajv2020({ strict: false }).compile(one);
        let isAllowed: unknown;
        try {
          isAllowed = compile(original)(value);
        } catch {
          // The references are endless, or the value is too deep for the validator.
          return;
        }
        expect(isAllowed !== true || compile(copy)(value), JSON.stringify(copy)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

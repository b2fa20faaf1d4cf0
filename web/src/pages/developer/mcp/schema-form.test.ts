import { expect, it } from 'vitest';
import { withTexts } from '../../../texts/load-texts.ts';

const { fieldsOf, toArguments } = await withTexts(
  ['developer'],
  () => import('./schema-form.ts'),
)();

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The file.' },
    lines: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
    ratio: { type: ['number', 'null'] },
    isDeep: { type: 'boolean' },
    order: { enum: ['up', 'down', 3] },
    filter: { type: 'object', properties: {} },
  },
  required: ['path', 'filter'],
};
const fields = fieldsOf(schema);
const entered = (values: Record<string, string>) => new Map(Object.entries(values));

it('makes a field of each property', () => {
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['path', 'text', true],
    ['lines', 'integer', false],
    ['ratio', 'number', false],
    ['isDeep', 'boolean', false],
    ['order', 'choice', false],
    ['filter', 'json', true],
  ]);
  expect(fields[4]?.choices).toEqual(['"up"', '"down"', '3']);
});

it('reads values of the types of the schema, and leaves empty ones out', () => {
  const result = toArguments(
    fields,
    entered({ path: 'a "b"', ratio: '0.5', isDeep: 'true', order: '3', filter: '{"a":[1]}' }),
  );
  expect(result).toEqual({
    values: { path: 'a "b"', lines: 5, ratio: 0.5, isDeep: true, order: 3, filter: { a: [1] } },
    errors: {},
  });
});

it('explains what is wrong', () => {
  const { errors } = toArguments(
    fields,
    entered({ path: 'a', lines: '11', ratio: 'much', isDeep: '' }),
  );
  expect(errors).toEqual({
    lines: 'It must be at most 10.',
    ratio: 'Enter a number.',
    filter: 'This is required.',
  });
  const broken = toArguments(fields, entered({ filter: '{', lines: '1.5' })).errors;
  expect(broken).toEqual({ filter: 'This is not valid JSON.', lines: 'Enter a whole number.' });
});

it('has no fields for an invalid schema', () => {
  expect(fieldsOf({})).toEqual([]);
  expect(fieldsOf({ properties: 'no', required: 7 })).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, null]));
  expect(fieldsOf({ properties: many })).toHaveLength(100);
  const hostile = fieldsOf(
    JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as object as never,
  );
  const { values } = toArguments(hostile, new Map([['__proto__', 'x']]));
  expect(Object.entries(values)).toEqual([['__proto__', 'x']]);
  expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
});

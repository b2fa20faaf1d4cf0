import { describe, expect, it } from 'vitest';
import { createArgumentCheck, schemaFault } from './tool-schema.ts';

function check(schema: Record<string, unknown>, limitMs = 5000) {
  const reasons: string[] = [];
  const { fault } = createArgumentCheck(schema, {
    limitMs,
    onUnchecked: (reason) => reasons.push(reason),
  });
  return { fault, reasons };
}

const point = {
  type: 'object',
  properties: { x: { type: 'number' }, unit: { enum: ['m', 'ft'] } },
  required: ['x'],
  additionalProperties: false,
};

describe('schemaFault', () => {
  it.each([
    ['a text', 'x', 'no object'],
    ['a list', [], 'no object'],
    ['the schema of a text', { type: 'string' }, 'not that of an object'],
    [
      'a type that there is not',
      { type: 'object', properties: { a: { type: 'strng' } } },
      'no JSON',
    ],
    ['too much', { description: 'x'.repeat(70_000) }, 'too large'],
  ])('refuses %s', (_, schema, reason) => {
    expect(schemaFault(schema)).toContain(reason);
  });

  it('refuses what is nested too deep', () => {
    let schema: Record<string, unknown> = {};
    for (let depth = 0; depth < 5000; depth += 1) schema = { not: schema };
    expect(schemaFault(schema)).toContain('too deep');
  });

  it.each([
    ['of no dialect', point],
    ['of an unknown dialect', { ...point, $schema: 'https://example.com/mine' }],
    ['of 2020-12', { ...point, $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['of draft 7', { ...point, $schema: 'http://json-schema.org/draft-07/schema#' }],
  ])('takes a schema %s', (_, schema) => {
    expect(schemaFault(schema)).toBeUndefined();
    const { fault, reasons } = check(schema);
    expect(fault({ x: 1 })).toBeUndefined();
    expect(fault({ x: '1' })).toBe('arguments/x must be number');
    expect(reasons).toEqual([]);
  });
});

describe('ArgumentCheck', () => {
  it.each([
    [{}, "arguments must have required property 'x'"],
    [{ x: 1, y: 2 }, 'arguments must NOT have additional properties: y'],
    [{ x: 1, unit: 'km' }, 'arguments/unit must be equal to one of the allowed values: ["m","ft"]'],
  ])('says what is wrong with %j', (given, reason) => {
    expect(check(point).fault(given)).toBe(reason);
  });

  it('knows the words of each dialect', () => {
    const tuple = { type: 'object', properties: { a: { prefixItems: [{ type: 'string' }] } } };
    expect(check(tuple).fault({ a: [1] })).toBe('arguments/a/0 must be string');
    const older = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }] } },
    };
    expect(check(older).fault({ a: [1] })).toBe('arguments/a/0 must be string');
  });

  it('checks formats', () => {
    const schema = { properties: { day: { type: 'string', format: 'date' } } };
    expect(check(schema).fault({ day: 'soon' })).toContain('must match format');
  });

  it('gives up on a pattern that would take for ever, and does not try again', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const { fault, reasons } = check(schema, 50);
    const hostile = { a: `${'a'.repeat(60)}b` };
    expect(fault(hostile)).toBeUndefined();
    expect(fault(hostile)).toBeUndefined();
    expect(reasons).toEqual(['it took too long']);
  });

  it('asks nobody for a schema elsewhere', () => {
    const { fault, reasons } = check({ properties: { a: { $ref: 'http://127.0.0.1/schema' } } });
    expect(fault({ a: 1 })).toBeUndefined();
    expect(reasons[0]).toContain("can't resolve reference");
  });

  it('leaves arguments to the server where a pattern is none', () => {
    const { fault, reasons } = check({ properties: { a: { pattern: '(' } } });
    expect(fault({ a: 'x' })).toBeUndefined();
    expect(reasons).toHaveLength(1);
  });

  it('never gives a promise', () => {
    const { fault } = check({ $async: true, required: ['a'] });
    expect(fault({})).toContain('required');
  });

  it('can be made twice of one $id', () => {
    const schema = { $id: 'https://example.com/a', required: ['a'] };
    expect(check(schema).fault({})).toContain('required');
    expect(check({ ...schema }).fault({})).toContain('required');
  });
});

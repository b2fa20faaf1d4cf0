import { describe, expect, it } from 'vitest';
import {
  compileToolSchema,
  EndlessCheckError,
  ToolSchemaCompiler,
  ToolSchemaError,
} from './tool-schema.ts';
import { CpuTimeError } from './within-cpu-time.ts';

const point = {
  type: 'object',
  properties: { x: { type: 'number' }, unit: { enum: ['m', 'ft'] } },
  required: ['x'],
  additionalProperties: false,
};

describe('compileToolSchema', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'x', 'is not an object'],
    ['a list', [], 'is not an object'],
    ['nothing', null, 'is not an object'],
    ['the schema of a text', { type: 'string' }, 'does not describe an object'],
    [
      'an unknown type',
      { type: 'object', properties: { a: { type: 'strng' } } },
      'is not a JSON schema',
    ],
    ['too much', { description: 'x'.repeat(70_000) }, 'is too large'],
    [
      'a schema elsewhere, which is not fetched',
      { properties: { a: { $ref: 'http://127.0.0.1/schema' } } },
      "can't be compiled: can't resolve reference http://127.0.0.1/schema",
    ],
    [
      'an invalid pattern',
      { properties: { a: { pattern: '(' } } },
      "can't be compiled: Invalid regular expression",
    ],
  ])('refuses %s', (_, schema, reason) => {
    expect(() => compileToolSchema(schema)).toThrow(ToolSchemaError);
    expect(() => compileToolSchema(schema)).toThrow(reason);
  });

  it('rejects a schema that is nested too deeply', () => {
    let schema: Record<string, unknown> = {};
    for (let depth = 0; depth < 5000; depth += 1) schema = { not: schema };
    expect(() => compileToolSchema(schema)).toThrow('is nested too deep');
  });

  it('rejects a schema that takes too long to compile', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`property ${index}`, { type: ['null', 'array'] }]),
    );
    expect(() => new ToolSchemaCompiler(0, 5).compile({ properties })).toThrow(
      "can't be compiled: it takes too long",
    );
  });

  it.each([
    ['of no dialect', point],
    ['of an unknown dialect', { ...point, $schema: 'https://example.com/mine' }],
    ['of 2020-12', { ...point, $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['of draft 7', { ...point, $schema: 'http://json-schema.org/draft-07/schema#' }],
  ])('compiles a schema %s', (_, schema) => {
    const compiled = compileToolSchema(schema);
    expect(compiled.findIssue({ x: 1 })).toBeUndefined();
    expect(compiled.findIssue({ x: '1' })).toBe('arguments/x must be number');
  });
});

function nested(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
}

describe('findIssue', () => {
  it.each([
    [{}, "arguments must have required property 'x'"],
    [{ x: 1, y: 2 }, 'arguments must NOT have additional properties: y'],
    [{ x: 1, unit: 'km' }, 'arguments/unit must be equal to one of the allowed values: ["m","ft"]'],
  ])('explains the problem of %j', (args, issue) => {
    expect(compileToolSchema(point).findIssue(args)).toBe(issue);
  });

  it('supports the keywords of each dialect', () => {
    const tuple = { type: 'object', properties: { a: { prefixItems: [{ type: 'string' }] } } };
    expect(compileToolSchema(tuple).findIssue({ a: [1] })).toBe('arguments/a/0 must be string');
    const older = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }] } },
    };
    expect(compileToolSchema(older).findIssue({ a: [1] })).toBe('arguments/a/0 must be string');
  });

  it('checks formats', () => {
    const schema = { properties: { day: { type: 'string', format: 'date' } } };
    expect(compileToolSchema(schema).findIssue({ day: 'soon' })).toContain('must match format');
  });

  it('accepts patterns that are valid only without the flag u', () => {
    const compiled = compileToolSchema({
      properties: { a: { pattern: String.raw`^[\w\-]+$` } },
    });
    expect(compiled.findIssue({ a: 'a-b' })).toBeUndefined();
    expect(compiled.findIssue({ a: 'a b' })).toContain('must match pattern');
  });

  it('gives up on a pattern that would take forever, only for these arguments', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const compiled = new ToolSchemaCompiler(0, 50).compile(schema);
    expect(() => compiled.findIssue({ a: `${'a'.repeat(60)}b` })).toThrow(CpuTimeError);
    expect(compiled.findIssue({ a: 'aaa' })).toBeUndefined();
    expect(compiled.findIssue({ a: 'b' })).toContain('must match pattern');
  });

  it.each([
    [
      'without end',
      { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, allOf: [{ $ref: '#/$defs/a' }] },
      {},
    ],
    [
      'deeper than the stack',
      {
        $defs: { a: { additionalProperties: { $ref: '#/$defs/a' } } },
        allOf: [{ $ref: '#/$defs/a' }],
      },
      nested(20_000),
    ],
  ])('gives up on a check that goes %s', (_, schema, args) => {
    expect(() => compileToolSchema(schema).findIssue(args)).toThrow(EndlessCheckError);
  });

  it('never returns a promise', () => {
    expect(compileToolSchema({ $async: true, required: ['a'] }).findIssue({})).toContain(
      'required',
    );
  });
});

describe('ToolSchemaCompiler', () => {
  it('reuses recently compiled schemas, up to a number of characters', () => {
    const schemas = ['a', 'b', 'c'].map((name) => ({ required: [name] }));
    const [a, b, c] = schemas;
    const compiler = new ToolSchemaCompiler(2 * JSON.stringify(a).length);
    const [first, second] = [compiler.compile(a), compiler.compile(b)];
    expect(compiler.compile({ ...a })).toBe(first);
    compiler.compile(c);
    expect(compiler.compile(a)).toBe(first);
    expect(compiler.compile(b)).not.toBe(second);
  });

  it('compiles two schemas of one $id', () => {
    const $id = 'https://example.com/a';
    const compiler = new ToolSchemaCompiler();
    expect(compiler.compile({ $id, required: ['a'] }).findIssue({})).toContain("'a'");
    expect(compiler.compile({ $id, required: ['b'] }).findIssue({})).toContain("'b'");
  });
});

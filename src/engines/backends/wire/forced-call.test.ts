import { describe, expect, it } from 'vitest';
import { forcedCallSchema, ForcedCallReader } from './forced-call.ts';

function read(text: string, length: number) {
  const reader = new ForcedCallReader();
  const pieces = [];
  for (let at = 0; at < text.length; at += length) {
    pieces.push(reader.push(text.slice(at, at + length)));
  }
  const name = pieces.map((piece) => piece?.name).filter((each) => each !== undefined);
  const json = pieces.map((piece) => piece?.argumentsJson ?? '').join('');
  return { name, json, rest: reader.endCut()?.argumentsJson };
}

describe('a call that is required', () => {
  it.each([1, 3, 1000])('is read in pieces of %i characters', (length) => {
    const args = '{"a": {"b": "} \\" {"}, "c": [{}]}';
    const { name, json } = read(` {"name": "say \\"hi\\"", "arguments": ${args} } `, length);
    expect(name).toEqual(['say "hi"']);
    expect(json).toBe(args);
  });

  it('keeps what came before the token limit', () => {
    expect(read('{"name": "a", "arguments": {"b": {}', 2)).toMatchObject({
      name: ['a'],
      json: '{"b": {',
      rest: '}',
    });
    expect(read('{"name": "a', 2)).toEqual({ name: [], json: '', rest: undefined });
  });

  it('may be of any of the tools, each with its own definitions', () => {
    const parameters = (type: string) => ({
      type: 'object',
      properties: { x: { $ref: '#/$defs/x' }, $ref: { type: 'string' } },
      $defs: { x: { type }, y: { $ref: '#/$defs/x' } },
    });
    const tools = [
      { name: 'one', parameters: parameters('string') },
      { name: 'two', parameters: parameters('number') },
    ];
    expect(forcedCallSchema(tools)).toEqual({
      anyOf: ['one', 'two'].map((name, index) => ({
        type: 'object',
        properties: {
          name: { const: name },
          arguments: {
            type: 'object',
            properties: { x: { $ref: `#/$defs/tool${index}x` }, $ref: { type: 'string' } },
          },
        },
        required: ['name', 'arguments'],
      })),
      $defs: {
        tool0x: { type: 'string' },
        tool0y: { $ref: '#/$defs/tool0x' },
        tool1x: { type: 'number' },
        tool1y: { $ref: '#/$defs/tool1x' },
      },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { CallOrAnswerReader } from './forced-call.ts';

function read(text: string, length: number, isCut = false) {
  const reader = new CallOrAnswerReader(['get_tide', 'get "x"']);
  const pieces = [];
  for (let at = 0; at < text.length; at += length) {
    pieces.push(reader.push(text.slice(at, at + length)));
  }
  pieces.push(reader.end(isCut));
  return {
    text: pieces.map((piece) => piece.text ?? '').join(''),
    names: pieces.flatMap(({ call }) => call?.name ?? []),
    json: pieces.map(({ call }) => call?.argumentsJson ?? '').join(''),
  };
}

describe.each([1, 3, 1000])('in pieces of %i characters', (length) => {
  it.each([
    ['{"name": "get_tide", "arguments": {"harbour": "Brest"}}', 'get_tide', '{"harbour": "Brest"}'],
    [' {\n "name" : "get \\"x\\"" , "arguments" : {} }', 'get "x"', '{}'],
  ])('%j is a call', (text, name, json) => {
    expect(read(text, length)).toEqual({ text: '', names: [name], json });
  });

  it.each([
    '{"sum": 5}',
    '{"name": "Brest", "arguments": {}}',
    '{"name": "get_tide", "height": 5}',
    '{"name": "get_tide"}',
    '[{"name": "get_tide", "arguments": {}}]',
    '7',
  ])('%j is an answer', (text) => {
    expect(read(text, length)).toEqual({ text, names: [], json: '' });
  });

  it('keeps what came before the token limit', () => {
    expect(read('{"name": "get_ti', length, true).text).toBe('{"name": "get_ti');
    expect(read('{"name": "get_tide", "arguments": {"a": {}', length, true)).toEqual({
      text: '',
      names: ['get_tide'],
      json: '{"a": {}',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, parseJsonDocument } from './json-document.ts';

describe('parseJsonDocument', () => {
  it('parses what JSON.parse parses', () => {
    const text = '\uFEFF{"a": [1, {"b": null}], "c": "\\u00e9"}\n';
    expect(parseJsonDocument(text).value).toEqual({ a: [1, { b: null }], c: 'é' });
  });

  it('locates values', () => {
    const document = parseJsonDocument('{\n  "a": [\n    1,\n    {"b": true}\n  ]\n}');
    expect(document.locate(['a', 1, 'b'])).toEqual({ line: 4, column: 11 });
    expect(document.locate(['a', 2])).toBeUndefined();
  });

  it.each([
    ['', 'value expected', 1, 1],
    ['{', 'close brace expected', 1, 2],
    ['{\n  "a": 1\n  "b": 2\n}', 'comma expected', 3, 3],
    ['{\n  "a": 1,\n}', 'property name expected', 3, 1],
    ['{"a": \'x\'}', 'invalid symbol', 1, 7],
    ['{"a": 1} // text', 'invalid comment token', 1, 10],
    ['{"a": 1}}', 'end of file expected', 1, 9],
  ])('rejects %j: %s', (text, reason, line, column) => {
    const parse = () => parseJsonDocument(text);
    expect(parse).toThrow(JsonSyntaxError);
    expect(parse).toThrow(expect.objectContaining({ message: reason, position: { line, column } }));
  });
});

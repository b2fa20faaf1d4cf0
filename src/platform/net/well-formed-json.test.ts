import { describe, expect, it } from 'vitest';
import { wellFormedJson } from './well-formed-json.ts';

describe('wellFormedJson', () => {
  it.each([
    [{ a: 'x\uD83D' }, { a: 'x\uFFFD' }],
    [{ a: ['\uDE00"\n\\'] }, { a: ['\uFFFD"\n\\'] }],
    [{ '\uD83D': 1 }, { '\uFFFD': 1 }],
    [{ a: '😀' }, { a: '😀' }],
    [{ a: String.raw`\ud83d and \\ud83d` }, { a: String.raw`\ud83d and \\ud83d` }],
  ])('writes %j', (value, read) => {
    expect(JSON.parse(wellFormedJson(value))).toEqual(read);
  });
});

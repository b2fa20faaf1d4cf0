import { describe, expect, it } from 'vitest';
import { minTokens } from './prompt-bound.ts';

const long = 100_000;

describe('minTokens', () => {
  const bytes = { keeps: 'bytes', longestTokenBytes: 10 } as const;
  const words = { keeps: 'words', longestTokenBytes: 10 } as const;

  it.each([
    ['a short text', 'a'.repeat(1000), bytes, 0],
    ['letters', 'a'.repeat(long), bytes, 10_000],
    ['bytes, not characters', 'ü'.repeat(long), bytes, 20_000],
    ['no white space around', `${' '.repeat(long)}${'a'.repeat(10)}${'\n'.repeat(long)}`, bytes, 1],
    ['white space beyond reason', ' '.repeat(2_000_000), bytes, 200_000],
    ['words', 'one two '.repeat(long), words, 2 * long],
    ['folded white space', `a${' '.repeat(long)}b`, words, 2],
    ['one word', 'a'.repeat(long), words, 1],
    ['nothing that is dropped', '\u200b '.repeat(long), words, 0],
  ])('counts %s', (_, text, tokenizer, tokens) => {
    expect(minTokens(text, tokenizer)).toBe(tokens);
  });
});

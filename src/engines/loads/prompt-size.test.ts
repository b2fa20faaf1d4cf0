import { describe, expect, it } from 'vitest';
import { foldText, minTokens } from './prompt-size.ts';

const long = 100_000;

describe('minTokens', () => {
  const bytes = { keeps: 'bytes', longestTokenBytes: 10 } as const;
  const words = { keeps: 'words', longestTokenBytes: 10 } as const;

  it.each([
    ['letters', 'a'.repeat(long), bytes, 10_000],
    ['bytes, not characters', 'ü'.repeat(long), bytes, 20_000],
    ['no white space around', `${' '.repeat(long)}${'a'.repeat(10)}${'\n'.repeat(long)}`, bytes, 1],
    ['no white space around a long text', ` ${'a'.repeat(1_100_000)}`, bytes, 110_000],
    ['no white space up to 1 MiB', `${' '.repeat(1024 * 1024)}${'a'.repeat(10)}`, bytes, 1],
    ['white space beyond reason', ' '.repeat(2_000_000), bytes, 200_000],
    ['ids', [1, 2, 3], bytes, 3],
    ['words, until there are too many', 'one two '.repeat(long), words, 4097],
    ['folded white space', `a${' '.repeat(long)}b`, words, 2],
    ['a word of a usual length', 'a'.repeat(1000), words, 1],
    ['one giant word by its bytes', 'a'.repeat(1_000_000), words, 4097],
    ['a giant word that fits', `${'a'.repeat(20_000)} b`, words, 2001],
    ['a word without spaces in another script', '漢'.repeat(5000), words, 1500],
    ['nothing that is dropped', '\u200B '.repeat(long), words, 0],
    ['dropped characters inside a word', 'a\u200B\u00ADb', words, 1],
    ['nothing that is dropped in other scripts', '\u0600 \u180E \u{E0020} '.repeat(long), words, 0],
  ])('counts %s', async (_, text, tokenizer, tokens) => {
    const count = await minTokens(text, tokenizer, 4096);
    // Counting stops beyond the context.
    expect(tokenizer === words ? Math.min(count, 4097) : count).toBe(tokens);
  });

  it('counts a giant word by its bytes, wherever it is cut', async () => {
    // The slices have an even length, so the second text would be split inside a surrogate pair.
    expect(await minTokens('😀'.repeat(200_000), words, 1e6)).toBe(80_000);
    expect(await minTokens(`a${'😀'.repeat(200_000)}`, words, 1e6)).toBe(80_000.1);
    expect(await minTokens('a'.repeat(1024), words, 1e6)).toBe(1);
    expect(await minTokens('a'.repeat(1025), words, 1e6)).toBe(102.5);
  });

  it('stops counting soon after the context is full', async () => {
    expect(await minTokens('a '.repeat(1_000_000), words, 4096)).toBeLessThan(500_000);
  });

  it('counts as many words as are left when a text is folded', async () => {
    const characters = Array.from({ length: 0xd800 }, (_, code) => String.fromCodePoint(code));
    const text = characters.map((character) => `a${character}b ${character}`).join(' ');
    const folded = (await foldText(text)).trim().split(/ +/u);
    expect(await minTokens(text, words, 1e6)).toBe(folded.length);
  });

  it('reads 60 MB without words in slices', { tags: 'slow' }, async () => {
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 0);
    expect(await minTokens(' '.repeat(60_000_000), words, 4096)).toBe(0);
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
  });
});

describe('foldText', () => {
  it.each([
    ['one two', 'one two'],
    ['one \n\t two\u3000\u0085three', 'one two three'],
    ['soft\u00ADhyphen\u200B\uFEFF', 'softhyphen'],
    [' '.repeat(1_000_000), '    '],
  ])('folds %#', async (text, folded) => {
    expect(await foldText(text)).toBe(folded);
  });
});

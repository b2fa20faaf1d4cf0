import { describe, expect, it } from 'vitest';
import { prefixHash } from './prefix-hash.ts';
import { commonTokens, sharedPrefix } from './shared-prefix.ts';

/** A prompt with 64 tokens for each letter. */
function prefix(letters: string) {
  const prompt = Array.from(letters, (letter) => letter.repeat(256)).join('');
  return prefixHash(null, { kind: 'completion', prompt, sampling: {} });
}

function other(letters: string, matchedTokens = 0) {
  return { prefix: prefix(letters), matchedTokens: () => matchedTokens };
}

const find = (letters: string, others: readonly ReturnType<typeof other>[], speed = 100) =>
  sharedPrefix(prefix(letters), letters.length * 64, others, (tokens) => tokens / speed)
    ?.characters;

describe('sharedPrefix', () => {
  it('is worth half a second of reading for all others together', () => {
    expect(find('abx', [other('aby')], 200)).toBe(512);
    expect(find('abx', [other('aby')], 300)).toBeUndefined();
    expect(find('abx', [other('aby'), other('abz')], 300)).toBe(512);
  });

  it('is the one that saves most', () => {
    expect(find('abcd', [other('abcx'), other('ay'), other('az')])).toBe(768);
    expect(find('abcd', [other('abcx'), ...Array.from('pqrstu', (end) => other(`ab${end}`))])).toBe(
      512,
    );
  });

  it('does not count what others find in a slot or a state', () => {
    expect(find('abcd', [other('abcx', 192)])).toBeUndefined();
  });

  it('is unknown before the speed is', () => {
    expect(sharedPrefix(prefix('ab'), 128, [other('ab')], () => undefined)).toBeUndefined();
  });
});

describe('commonTokens', () => {
  it('counts the tokens before the first difference', () => {
    expect(commonTokens([1, 2, 3], [1, 2, 4])).toBe(2);
    expect(commonTokens([1, 2], [1, 2, 3])).toBe(2);
    expect(commonTokens([1, 2, 3], [1])).toBe(1);
    expect(commonTokens([], [1])).toBe(0);
  });
});

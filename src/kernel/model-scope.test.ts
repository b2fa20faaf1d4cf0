import { expect, it } from 'vitest';
import { assertInScope, isInScope } from './model-scope.ts';

it.each([
  [null, 'qwen/qwen3', true],
  [[], 'qwen/qwen3', false],
  [['qwen/qwen3'], 'qwen/qwen3', true],
  [['Qwen/Qwen3'], 'qwen/qwen3', true],
  [['qwen/qwen3'], 'qwen/qwen3-next', false],
  [['qwen'], 'qwen/qwen3', false],
  [['qwen/*'], 'qwen/qwen3', true],
  [['qwen/*'], 'qwenlike/qwen3', false],
  [['qwen/*'], 'other/qwen/qwen3', false],
  [['*'], 'qwen/qwen3', true],
  [['*-coder', 'google/*'], 'qwen/qwen3-coder', true],
  [['q*3'], 'q3', true],
  [['q3*3'], 'q3', false],
  [['*/qwen*-coder*'], 'qwen/qwen3-coder-30b', true],
  [['*a*b*'], 'xbxa', false],
  [['.*'], 'qwen/qwen3', false],
] as const)('%j and %s: %s', (scope, key, isAllowed) => {
  expect(isInScope(scope, key)).toBe(isAllowed);
});

it('tells which models a token may use', () => {
  expect(() => assertInScope(['a/*', 'b/c'], 'b/d')).toThrow(
    'The token may not use the model "b/d"; it may use: a/*, b/c.',
  );
  expect(() => assertInScope([], 'b/d')).toThrow('it may use: none.');
  expect(() => assertInScope(null, 'b/d')).not.toThrow();
});

it('takes a hostile pattern in linear time', () => {
  expect(isInScope([`${'a*'.repeat(100)}b`], 'a'.repeat(100_000))).toBe(false);
});

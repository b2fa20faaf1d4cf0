import { describe, expect, it } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import { cured } from './refusal.ts';
import { contextForPrompt } from './policy/choose-sizes.ts';

const promptSize = { tokens: 9000, isLowerBound: false, maxTokens: 8192 };
const tooLong = new HearthError('context_length_exceeded', 'Too long.', { promptSize });

describe('cured', () => {
  it('adds the advice to errors about the length of a prompt, which keep their numbers', () => {
    expect(cured(tooLong, () => 'Use a larger one.')).toMatchObject({
      code: 'context_length_exceeded',
      message: 'Too long. Use a larger one.',
      promptSize,
    });
  });

  it('leaves other errors unchanged, and those without advice', () => {
    const crashed = new HearthError('crashed', 'The engine stopped.');
    expect(cured(crashed, () => 'Use a larger one.')).toBe(crashed);
    expect(cured(tooLong, () => undefined)).toBe(tooLong);
    const unknown = new HearthError('context_length_exceeded', 'Too long.');
    expect(cured(unknown, () => 'Use a larger one.')).toBe(unknown);
  });
});

describe('contextForPrompt', () => {
  const upTo = (most: number) => (contextLength: number) => contextLength <= most;
  it.each([
    ['with space for an answer', 9000, 131_072, Infinity, 16_384],
    ['larger if a step leaves little space', 15_000, 131_072, Infinity, 32_768],
    ['that fits, even with little space', 15_000, 131_072, 16_384, 16_384],
    ['that the model has, if it is between two steps', 9000, 10_000, Infinity, 10_000],
    ['that the model has, if it is more than all steps', 200_000, 1_000_000, Infinity, 1_000_000],
    ['if none fits', 9000, 131_072, 8192, undefined],
    ['if the model has no larger one', 9000, 8192, Infinity, undefined],
  ])('is the context %s', (_, tokens, maxContextLength, most, expected) => {
    expect(contextForPrompt(tokens, maxContextLength, upTo(most))).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { testContext } from '../../../test/setup/test-context.ts';
import { HearthError } from '../../contract/errors.ts';
import type { EngineHandle, GenerationRequest } from '../engine.ts';
import { withContextCure } from './context-cure.ts';
import { contextForPrompt } from './policy/choose-sizes.ts';

const promptSize = { tokens: 9000, isLowerBound: false, maxTokens: 8192 };
const tooLong = new HearthError('context_length_exceeded', 'Too long.', { promptSize });
const request: GenerationRequest = { kind: 'completion', prompt: 'Hello', sampling: {} };

/** An engine that fails with this error. */
function failing(error: Error): EngineHandle {
  const fail = async () => {
    throw error;
  };
  // oxlint-disable-next-line require-yield
  const generate = async function* () {
    throw error;
  };
  return { engine: { generate, embed: fail, rank: fail } } as unknown as EngineHandle;
}

async function failures(error: Error, advice: string | undefined) {
  const { engine } = withContextCure(failing(error), () => advice);
  const context = testContext();
  const generate = async () => {
    for await (const _ of engine.generate(request, context)) break;
  };
  const errors: unknown[] = [];
  const calls = [
    generate,
    () => engine.embed(['a'], context),
    () => engine.rank('a', ['b'], context),
  ];
  for (const call of calls) {
    try {
      await call();
    } catch (failure) {
      errors.push(failure);
    }
  }
  return errors;
}

describe('withContextCure', () => {
  it('adds the advice to errors about the length of a prompt, which keep their numbers', async () => {
    for (const error of await failures(tooLong, 'Use a larger one.')) {
      expect(error).toMatchObject({
        code: 'context_length_exceeded',
        message: 'Too long. Use a larger one.',
        promptSize,
      });
    }
  });

  it('leaves other errors unchanged, and those without advice', async () => {
    const crashed = new HearthError('crashed', 'The engine stopped.');
    expect(await failures(crashed, 'Use a larger one.')).toEqual([crashed, crashed, crashed]);
    expect(await failures(tooLong, undefined)).toEqual([tooLong, tooLong, tooLong]);
    const unknown = new HearthError('context_length_exceeded', 'Too long.');
    expect(await failures(unknown, 'Use a larger one.')).toEqual([unknown, unknown, unknown]);
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

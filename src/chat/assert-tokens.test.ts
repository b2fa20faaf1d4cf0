import { expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { assertTokens } from './assert-tokens.ts';

const dimensions = {
  embedding: 1,
  feedForward: 1,
  isGated: true,
  heads: 1,
  query: 1,
  keyValue: 1,
  experts: null,
  vocabulary: 100,
  merges: 0,
};

it('names the token that a model does not have, and those that it has', () => {
  const model = modelEntry({ dimensions });
  expect(() => assertTokens(model, ['text', [0, 99]], 'prompt')).not.toThrow();
  expect(() => assertTokens(model, ['text', [0, 100]], 'prompt')).toThrow(
    expect.objectContaining({
      code: 'invalid_value',
      field: 'prompt',
      message:
        '`prompt` has the token 100, but the vocabulary of test/model has 100 tokens, 0 to 99.',
    }),
  );
});

it('leaves tokens to the engine where the vocabulary is not known', () => {
  expect(() => assertTokens(modelEntry(), [[1_000_000]], 'prompt')).not.toThrow();
  const unknown = modelEntry({ dimensions: { ...dimensions, vocabulary: 0 } });
  expect(() => assertTokens(unknown, [[1_000_000]], 'prompt')).not.toThrow();
});

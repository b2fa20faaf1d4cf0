import { expect, it } from 'vitest';
import { v0GenerationFields } from './sampling-schema.ts';

const biases = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, token) => [String(token), 1]));

it('bounds the tokens of logit_bias', () => {
  const { logit_bias: schema } = v0GenerationFields;
  expect(schema.safeParse(biases(1000)).success).toBe(true);
  const { error } = schema.safeParse(biases(1001));
  expect(error?.issues.map(({ message }) => message)).toEqual(['It must have at most 1000 tokens']);
});

import { expect, it } from 'vitest';
import { modelName } from './model-name.ts';

it.each([
  ['hearth/starter-chat', 'starter-chat', 'starter-chat'],
  ['qwen/qwen2.5-0.5b-instruct', 'Qwen2.5 0.5B Instruct', 'Qwen2.5 0.5B Instruct'],
  ['local/smollm2-135m', 'Smollm2 135M 8k Lc100K Mix1 Ep2', 'smollm2-135m'],
  ['local/uploaded', 'starter-chat', 'uploaded'],
  ['acme/my-model-7b', 'model', 'my-model-7b'],
  ['lab/open-models/large', 'large', 'open-models/large'],
  ['large', '', 'large'],
])('names %s with the header %j as %s', (key, display_name, name) => {
  expect(modelName({ key, display_name })).toBe(name);
});

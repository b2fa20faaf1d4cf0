import { expect, it } from 'vitest';
import { repositoryOf } from './file-keys.ts';

it.each([
  ['SmolLM2-135M-Instruct-Q4_K_M.gguf', 'smollm2-135m-instruct'],
  ['big-model-IQ2_XS-00002-of-00003.gguf', 'big-model'],
  ['mmproj-starter-vision-f16.gguf', 'starter-vision'],
  ['My model (copy).GGUF', 'my-model-copy'],
  ['../../.gguf', 'model'],
])('suggests a name for %s', (file, name) => {
  expect(repositoryOf(file)).toBe(name);
});

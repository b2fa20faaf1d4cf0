import { expect, test } from 'vitest';
import { parseModelFileName } from './model-file-name.ts';

test.each([
  ['starter-chat-q8_0.gguf', 'starter-chat', 'Q8_0'],
  ['Qwen3-8B-Q4_K_M.gguf', 'Qwen3-8B', 'Q4_K_M'],
  ['SmolLM2-135M-Instruct.Q4_1.gguf', 'SmolLM2-135M-Instruct', 'Q4_1'],
  ['gemma-3-27b-it-UD-Q4_K_XL.gguf', 'gemma-3-27b-it', 'Q4_K_XL'],
  ['phi-4-IQ3_XXS.gguf', 'phi-4', 'IQ3_XXS'],
  ['llama-BF16.GGUF', 'llama', 'BF16'],
  ['all-minilm.fp16.gguf', 'all-minilm', 'F16'],
  ['gpt-oss-20b-mxfp4.gguf', 'gpt-oss-20b', 'MXFP4'],
  ['bitnet-TQ2_0.gguf', 'bitnet', 'TQ2_0'],
  ['Q6_K.gguf', '', 'Q6_K'],
  ['mistral-7b-v0.1.gguf', 'mistral-7b-v0.1', null],
  ['QwQ-32B.gguf', 'QwQ-32B', null],
])('%s is %s in %s', (file, base, quantization) => {
  expect(parseModelFileName(file)).toEqual({ base, quantization, part: null, isProjector: false });
});

test('a part of a split model has its number', () => {
  expect(parseModelFileName('big-Q8_0-00002-of-00003.gguf')).toEqual({
    base: 'big',
    quantization: 'Q8_0',
    part: { number: 2, count: 3 },
    isProjector: false,
  });
});

test.each([
  ['mmproj-starter-vision-f16.gguf', 'starter-vision'],
  ['mmproj-BF16.gguf', ''],
  ['gemma-3-4b-it-mmproj-f16.gguf', 'gemma-3-4b-it'],
  ['llava.mmproj-Q8_0.gguf', 'llava'],
])('%s is a projector of %j', (file, base) => {
  expect(parseModelFileName(file)).toMatchObject({ base, isProjector: true });
});

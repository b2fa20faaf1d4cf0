import { expect, it } from 'vitest';
import { parseModelArgument } from './resolve-model.ts';

it.each([
  ['org/Model-GGUF', { kind: 'request', model: 'org/Model-GGUF' }],
  [
    'org/Model-GGUF@q8_0',
    {
      kind: 'request',
      model: 'https://huggingface.co/org/Model-GGUF',
      quantization: 'q8_0',
    },
  ],
  [
    'https://huggingface.co/org/model/tree/main',
    { kind: 'request', model: 'https://huggingface.co/org/model/tree/main' },
  ],
  [
    'http://127.0.0.1:8080/org/model@Q4_K_M',
    { kind: 'request', model: 'http://127.0.0.1:8080/org/model', quantization: 'Q4_K_M' },
  ],
  [' smollm2-135m ', { kind: 'words', words: 'smollm2-135m' }],
  ['smollm2-135m@q8_0', { kind: 'words', words: 'smollm2-135m', quantization: 'q8_0' }],
  ['small chat model', { kind: 'words', words: 'small chat model' }],
  ['', { kind: 'words', words: '' }],
  [
    'org/Model-GGUF:Q8_0',
    {
      kind: 'request',
      model: 'https://huggingface.co/org/Model-GGUF',
      quantization: 'Q8_0',
    },
  ],
  [
    'hf.co/org/model@Q4_K_M',
    { kind: 'request', model: 'https://huggingface.co/org/model', quantization: 'Q4_K_M' },
  ],
  ['modelscope:org/model:Q8_0', { kind: 'request', model: 'modelscope:org/model:Q8_0' }],
  [
    'www.modelscope.cn/models/org/model@Q8_0',
    { kind: 'request', model: 'https://www.modelscope.cn/models/org/model', quantization: 'Q8_0' },
  ],
  ['read/write memory', { kind: 'words', words: 'read/write memory' }],
  // The server rejects these names.
  ['a/b/c', { kind: 'request', model: 'a/b/c' }],
  ['org/model@', { kind: 'request', model: 'org/model@' }],
])('parses %j', (argument, expected) => {
  expect(parseModelArgument(argument)).toEqual(expected);
});

import { expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { parseOllamaReference } from './ollama-reference.ts';

it.each([
  ['hf.co/Owner/Name-GGUF', { model: 'https://huggingface.co/Owner/Name-GGUF' }],
  [
    'hf.co/Owner/Name-GGUF:Q4_K_M',
    { model: 'https://huggingface.co/Owner/Name-GGUF', quantization: 'Q4_K_M' },
  ],
  ['https://huggingface.co/Owner/Name', { model: 'https://huggingface.co/Owner/Name' }],
  ['Owner/Name:latest', { model: 'https://huggingface.co/Owner/Name' }],
  ['smollm2:360m', { model: 'smollm2-360m' }],
  ['smollm2-360m', { model: 'smollm2-360m' }],
  ['library/SmolLM2:1.7b', { model: 'smollm2-1.7b' }],
  ['registry.ollama.ai/library/smollm2:360m', { model: 'smollm2-360m' }],
  ['smollm2', undefined],
  ['smollm2:9b', undefined],
  ['nothing', undefined],
])('parses %s', (name, reference) => {
  expect(parseOllamaReference(name, new Catalog())).toEqual(reference);
});

import { expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { parseOllamaReference } from './ollama-reference.ts';

it.each([
  ['hf.co/Owner/Name-GGUF', { hub: { model: 'https://huggingface.co/Owner/Name-GGUF' } }],
  [
    'hf.co/Owner/Name-GGUF:Q4_K_M',
    { hub: { model: 'https://huggingface.co/Owner/Name-GGUF', quantization: 'Q4_K_M' } },
  ],
  ['https://huggingface.co/Owner/Name', { hub: { model: 'https://huggingface.co/Owner/Name' } }],
  [
    'Owner/Name:latest',
    {
      hub: { model: 'https://huggingface.co/Owner/Name' },
      registry: { model: 'ollama:owner/name:latest' },
    },
  ],
  ['smollm2:360m', { hub: { model: 'smollm2-360m' } }],
  ['smollm2-360m', { hub: { model: 'smollm2-360m' } }],
  ['library/SmolLM2:1.7b', { hub: { model: 'smollm2-1.7b' } }],
  ['registry.ollama.ai/library/smollm2:360m', { hub: { model: 'smollm2-360m' } }],
  ['registry.ollama.ai/Owner/Name:1b', { registry: { model: 'ollama:owner/name:1b' } }],
  ['smollm2', { registry: { model: 'ollama:smollm2:latest' } }],
  ['smollm2:9b', { registry: { model: 'ollama:smollm2:9b' } }],
  ['a b', { registry: { model: 'ollama:a b:latest' } }],
])('parses %s', (name, reference) => {
  expect(parseOllamaReference(name, new Catalog())).toEqual(reference);
});

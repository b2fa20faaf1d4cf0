import { expect, it } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { ModelEntry, ModelLibrary } from '../model.ts';
import { selectModel } from '../select-model.ts';
import { findOllamaModel, parseOllamaName } from './find-model.ts';

const variant = (id: string) => ({
  id,
  quantization: null,
  path: `/${id}`,
  files: [`/${id}`],
  sizeBytes: 1,
});
const entry = (key: string, ...variants: readonly string[]): ModelEntry =>
  modelEntry({ key, variants: variants.map(variant) });

const models = [
  entry('bartowski/smollm2-135m-instruct', 'q8_0', 'q4_k_m'),
  entry('bartowski/smollm2-360m-instruct', 'q4_k_m'),
  entry('hearth/starter-chat', 'q8_0'),
  entry('library/llama3.2', 'q4_k_m'),
  entry('ol/starter:latest', 'remote'),
  entry('qwen/qwen3-0.6b', 'q8_0'),
];
const aliases = [
  { name: 'gpt-oss', model: 'hearth/starter-chat' },
  { name: 'mine:7b', model: 'hearth/starter-chat' },
];
const library: ModelLibrary = {
  list: async () => models,
  find: async (identifier) =>
    selectModel({ models, adapters: [], faults: [] }, identifier, aliases),
};

it.each([
  ['llama3.2', 'llama3.2', 'latest'],
  ['SmolLM2:135M', 'smollm2', '135m'],
  ['hf.co/Owner/Name-GGUF:Q4_K_M', 'owner/name-gguf', 'q4_k_m'],
  ['https://huggingface.co/owner/name', 'owner/name', 'latest'],
  ['registry.ollama.ai/library/llama3.2:1b', 'library/llama3.2', '1b'],
  ['localhost:5000/name', 'localhost:5000/name', 'latest'],
])('parses %s', (name, base, tag) => {
  expect(parseOllamaName(name)).toEqual({ base, tag });
});

// covers api-10
it.each([
  ['hearth/starter-chat', 'hearth/starter-chat', 'q8_0'],
  ['ol/starter', 'ol/starter:latest', 'remote'],
  ['ol/starter:latest', 'ol/starter:latest', 'remote'],
  ['starter-chat:latest', 'hearth/starter-chat', 'q8_0'],
  ['hearth/starter-chat:q8_0', 'hearth/starter-chat', 'q8_0'],
  ['smollm2:135m', 'bartowski/smollm2-135m-instruct', 'q8_0'],
  ['smollm2:135m-instruct', 'bartowski/smollm2-135m-instruct', 'q8_0'],
  ['smollm2:135m-instruct-q4_K_M', 'bartowski/smollm2-135m-instruct', 'q4_k_m'],
  ['bartowski/smollm2-135m-instruct:Q4_K_M', 'bartowski/smollm2-135m-instruct', 'q4_k_m'],
  ['bartowski/SmolLM2-360M-Instruct-GGUF', 'bartowski/smollm2-360m-instruct', 'q4_k_m'],
  [
    'hf.co/bartowski/SmolLM2-360M-Instruct-GGUF:Q4_K_M',
    'bartowski/smollm2-360m-instruct',
    'q4_k_m',
  ],
  ['registry.ollama.ai/library/llama3.2', 'library/llama3.2', 'q4_k_m'],
  ['qwen3', 'qwen/qwen3-0.6b', 'q8_0'],
  ['gpt-oss:latest', 'hearth/starter-chat', 'q8_0'],
  ['mine:7b', 'hearth/starter-chat', 'q8_0'],
])('finds %s', async (name, key, variantId) => {
  const { selection, identifier } = await findOllamaModel(library, name);
  expect([selection.model.key, selection.variant.id]).toEqual([key, variantId]);
  expect(await library.find(identifier)).toEqual(selection);
});

it('keeps the adapters that follow a name', async () => {
  const { identifier } = await findOllamaModel(library, 'smollm2:135m+me/pirate:0.5+soft');
  expect(identifier).toBe('bartowski/smollm2-135m-instruct+me/pirate:0.5+soft');
});

it.each([
  ['smollm2', 'GET /api/tags'],
  ['smollm2:1.7b', 'GET /api/tags'],
  ['startr-chat', 'the nearest is "hearth/starter-chat"'],
  ['llama3.3:latest', 'the nearest is "library/llama3.2"'],
  ['', 'GET /api/tags'],
])('does not guess %j', async (name, message) => {
  const error: unknown = await findOllamaModel(library, name).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HearthError);
  expect(error).toMatchObject({
    code: 'model_not_found',
    message: expect.stringContaining(`model ${JSON.stringify(name)} not found, try pulling it`),
  });
  expect(String(error)).toContain(message);
});

it('reports why a model cannot be used that adapters follow', async () => {
  const damaged: ModelLibrary = {
    ...library,
    find: async (identifier) => {
      if (identifier !== 'damaged') return library.find(identifier);
      throw new HearthError('corrupt_file', 'damaged');
    },
  };
  await expect(findOllamaModel(damaged, 'damaged+pirate')).rejects.toMatchObject({
    code: 'corrupt_file',
  });
});

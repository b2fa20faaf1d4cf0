import { describe, expect, it } from 'vitest';
import type { HubRepository } from './hub.ts';
import { listBuilds } from './list-builds.ts';

function repository(
  sizes: Readonly<Record<string, number>>,
  rest: Partial<HubRepository> = {},
): HubRepository {
  return {
    owner: 'owner',
    name: 'Model-GGUF',
    commit: '0'.repeat(40),
    license: null,
    isMlx: false,
    files: Object.entries(sizes).map(([path, sizeBytes]) => ({
      path,
      sizeBytes,
      checksum: { algorithm: 'sha256', hex: '0'.repeat(64) },
    })),
    ...rest,
  };
}

const listed = (from: HubRepository) =>
  listBuilds(from).map(({ quantization, sizeBytes, isDefault, isComplete }) => [
    quantization,
    sizeBytes,
    isDefault,
    isComplete,
  ]);

describe('the choices of a repository', () => {
  it('are its quantizations with parts and projector, smallest first', () => {
    const sizes = {
      'README.md': 1,
      'model-Q8_0.gguf': 80,
      'model-Q4_K_M-00001-of-00002.gguf': 30,
      'model-Q4_K_M-00002-of-00002.gguf': 20,
      'mmproj-F16.gguf': 5,
    };
    expect(listed(repository(sizes))).toEqual([
      ['Q4_K_M', 55, true, true],
      ['Q8_0', 85, false, true],
    ]);
  });

  it('say which lack a part', () => {
    const sizes = { 'model-Q8_0-00001-of-00002.gguf': 40, 'model-Q4_0.gguf': 20 };
    expect(listed(repository(sizes))).toEqual([
      ['Q4_0', 20, true, true],
      ['Q8_0', 40, false, false],
    ]);
  });

  it('are one without a name for a model without labels, and for MLX', () => {
    expect(listed(repository({ 'model.gguf': 7 }))).toEqual([[null, 7, true, true]]);
    const mlx = { 'config.json': 1, 'model.safetensors': 9, 'tokenizer.json': 2 };
    expect(listed(repository(mlx, { isMlx: true }))).toEqual([[null, 12, true, true]]);
  });

  it('are empty for a repository that Hearth cannot run', () => {
    expect(listed(repository({ 'model.bin': 7 }))).toEqual([]);
    expect(listed(repository({}))).toEqual([]);
  });
});

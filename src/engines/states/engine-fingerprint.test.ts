import { appendFile, open, rename, utimes, writeFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { canSaveSlots, engineFingerprint } from './engine-fingerprint.ts';

describe('engineFingerprint', () => {
  let file: string;
  beforeEach(async () => {
    file = join(await temporaryFolder(), 'model.gguf');
    await writeFile(file, Buffer.alloc(5_000_000, 1));
  });

  it('is the same for the same files and settings only', async () => {
    const first = await engineFingerprint([file], { k: 'f16' });
    expect(await engineFingerprint([file], { k: 'f16' })).toBe(first);
    expect(await engineFingerprint([file], { k: 'q8_0' })).not.toBe(first);
    expect(await engineFingerprint([file, file], { k: 'f16' })).not.toBe(first);
    await appendFile(file, 'x');
    expect(await engineFingerprint([file], { k: 'f16' })).not.toBe(first);
  });

  it('notices a file that was replaced or changed, with the same size and time', async () => {
    await utimes(file, 1000, 1000);
    const first = await engineFingerprint([file], {});
    await writeFile(`${file}.new`, Buffer.alloc(5_000_000, 1));
    await utimes(`${file}.new`, 1000, 1000);
    await rename(`${file}.new`, file);
    const replaced = await engineFingerprint([file], {});
    expect(replaced).not.toBe(first);

    // This place is not among the samples.
    const handle = await open(file, 'r+');
    await handle.write(Buffer.from([9]), 0, 1, 1_500_001);
    await handle.close();
    await utimes(file, 1000, 1000);
    expect((await stat(file)).mtimeMs).toBe(1_000_000);
    expect(await engineFingerprint([file], {})).not.toBe(replaced);
  });

  it('rejects for a missing file', async () => {
    await expect(engineFingerprint([`${file}.gone`], {})).rejects.toThrow('ENOENT');
  });
});

describe('canSaveSlots', () => {
  const attention = {
    layerCount: 2,
    keyBytesPerToken: 64,
    valueBytesPerToken: 64,
    window: null,
    recurrentBytesPerSlot: 0,
  };

  it.each([
    [true, modelEntry({ attention })],
    [false, modelEntry({ attention: null })],
    [false, modelEntry({ attention, type: 'embeddings' })],
    [false, modelEntry({ attention, format: 'mlx' })],
    [false, modelEntry({ attention: { ...attention, recurrentBytesPerSlot: 8 } })],
    [false, modelEntry({ attention, architecture: 'qwen3next' })],
    [false, modelEntry({ attention, architecture: 'mamba2' })],
    [
      true,
      modelEntry({
        attention: {
          ...attention,
          window: { tokens: 512, keyBytesPerToken: 1, valueBytesPerToken: 1 },
        },
      }),
    ],
  ])('is %s for model %#', (expected, model) => {
    expect(canSaveSlots(model)).toBe(expected);
  });
});

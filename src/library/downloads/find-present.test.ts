import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { ModelLibrary } from '../model.ts';
import type { DownloadPlan } from './downloads.ts';
import { findEarlier, isFileOfSize, isOutdated, isPresent } from './find-present.ts';

const fileOf = (target: string, hex = 'aa', sizeBytes = 4) => ({
  path: target,
  target,
  sizeBytes,
  checksum: { algorithm: 'sha256', hex } as const,
});
const planOf = (fields: Partial<DownloadPlan> = {}): DownloadPlan => ({
  model: 'acme/tiny',
  owner: 'Acme',
  name: 'Tiny-GGUF',
  commit: 'c1',
  quantization: 'Q8_0',
  files: [fileOf('tiny.gguf')],
  ...fields,
});

/** A library that lists one model with these files. */
const libraryOf = (...files: string[]): ModelLibrary =>
  ({ list: async () => [{ variants: [{ files }] }] }) as unknown as ModelLibrary;

async function put(path: string, content = 'gguf'): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

describe('isPresent', () => {
  it('finds the files in the models folder, with any case of its folders', async () => {
    const folder = await temporaryFolder();
    await put(join(folder, 'ACME', 'tiny-gguf', 'tiny.gguf'));
    expect(await isPresent(planOf(), folder, libraryOf())).toBe(true);
  });

  it('requires every file with its size', async () => {
    const folder = await temporaryFolder();
    const plan = planOf({ files: [fileOf('tiny.gguf'), fileOf('mmproj.gguf')] });
    await put(join(folder, 'Acme/Tiny-GGUF/tiny.gguf'));
    expect(await isPresent(plan, folder, libraryOf())).toBe(false);
    await put(join(folder, 'Acme/Tiny-GGUF/mmproj.gguf'), 'other size');
    expect(await isPresent(plan, folder, libraryOf())).toBe(false);
    await put(join(folder, 'Acme/Tiny-GGUF/mmproj.gguf'));
    expect(await isPresent(plan, folder, libraryOf())).toBe(true);
  });

  it.each([
    ['beside the file that the library lists', 'tiny.gguf', 'tiny.gguf'],
    ['above it', 'sub/tiny.gguf', 'sub/tiny.gguf'],
  ])('finds them in another folder of the library, %s', async (_, target, listed) => {
    const folder = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    const file = await put(join(elsewhere, 'acme', 'TINY-GGUF', listed));
    const plan = planOf({ files: [fileOf(target)] });
    expect(await isPresent(plan, folder, libraryOf(file))).toBe(true);
  });

  it.each([
    ['another owner', 'other/Tiny-GGUF/tiny.gguf'],
    ['another name', 'Acme/Other/tiny.gguf'],
  ])('does not accept a folder of %s', async (_, path) => {
    const elsewhere = await temporaryFolder();
    const file = await put(join(elsewhere, path));
    expect(await isPresent(planOf(), await temporaryFolder(), libraryOf(file))).toBe(false);
  });

  it('does not accept a folder as a file', async () => {
    const folder = await temporaryFolder();
    expect(await isFileOfSize(folder, 4096)).toBe(false);
    expect(await isFileOfSize(join(folder, 'gone'), 0)).toBe(false);
  });
});

describe('isOutdated', () => {
  const changed = planOf({ files: [fileOf('tiny.gguf', 'bb')] });

  it('compares with the newest download of the repository, in any case', () => {
    expect(isOutdated(planOf(), [planOf()])).toBe(false);
    expect(isOutdated(changed, [planOf()])).toBe(true);
    expect(isOutdated(changed, [planOf({ owner: 'ACME', name: 'tiny-gguf' })])).toBe(true);
    expect(isOutdated(changed, [changed, planOf()])).toBe(false);
    expect(isOutdated(planOf(), [changed, planOf()])).toBe(true);
  });

  it('ignores other repositories and files', () => {
    expect(isOutdated(changed, [planOf({ owner: 'other' })])).toBe(false);
    expect(isOutdated(changed, [planOf({ name: 'other' })])).toBe(false);
    expect(isOutdated(changed, [planOf({ files: [fileOf('b.gguf')] })])).toBe(false);
    expect(isOutdated(changed, [])).toBe(false);
  });

  it('is true if one file of several changed', () => {
    const files = [fileOf('a.gguf'), fileOf('b.gguf', 'bb')];
    expect(
      isOutdated(planOf({ files }), [planOf({ files: [fileOf('a.gguf'), fileOf('b.gguf')] })]),
    ).toBe(true);
  });
});

describe('findEarlier', () => {
  const q4 = planOf({ quantization: 'Q4_K_M' });
  const q8 = planOf({ quantization: 'Q8_0' });

  it('finds the newest of the same model, in any case', () => {
    expect(findEarlier({ model: 'ACME/Tiny' }, [q4, q8])).toBe(q4);
    expect(findEarlier({ model: 'acme/other' }, [q4, q8])).toBeUndefined();
  });

  it('finds the requested quantization', () => {
    expect(findEarlier({ model: 'acme/tiny', quantization: 'q8_0' }, [q4, q8])).toBe(q8);
    expect(findEarlier({ model: 'acme/tiny', quantization: 'Q6_K' }, [q4, q8])).toBeUndefined();
    const none = planOf({ quantization: null });
    expect(findEarlier({ model: 'acme/tiny', quantization: 'Q6_K' }, [none])).toBeUndefined();
  });
});

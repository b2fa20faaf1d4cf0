import { access, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createModelLibrary } from '../library.ts';
import type { PlannedRemoval } from '../model.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;
const bytes = writeGguf({ metadata: plainModel });
const level = (type: number) =>
  writeGguf({ metadata: plainModel, tensors: [{ name: 'w', shape: [32, 64], type }] });
const q4 = level(2);
const q8 = level(8);
const projector = writeGguf({ metadata: { ...plainModel, 'general.type': 'mmproj' } });
let home = '';
let folder = '';

beforeEach(async () => {
  home = await temporaryFolder();
  folder = join(home, 'models');
  await mkdir(folder);
});

async function put(path: string, content: string | Buffer = bytes): Promise<string> {
  const whole = join(folder, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, content);
  return whole;
}

const library = () =>
  createModelLibrary({ roots: [{ folder }], logger: createLogger('silent'), signal });
const remove = (identifier: string) => library().remove(identifier, () => {});
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

describe('a whole model', () => {
  test('is removed with its variants, parts, projectors and companion files', async () => {
    await put('acme/see-GGUF/see-Q4_0.gguf');
    await put(
      'acme/see-GGUF/big/see-Q8_0-00001-of-00002.gguf',
      writeGguf({ metadata: { ...plainModel, 'split.count': 2 } }),
    );
    await put(
      'acme/see-GGUF/big/see-Q8_0-00002-of-00002.gguf',
      writeGguf({ metadata: { 'split.no': 1 } }),
    );
    await put('acme/see-GGUF/mmproj-F16.gguf', projector);
    await put('acme/see-GGUF/mmproj-BF16.gguf', projector);
    await put('acme/see-GGUF/README.md', '# see');
    expect(await remove('acme/see')).toMatchObject({ name: 'acme/see' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('frees the space of its files', async () => {
    await put('acme/fine/fine-Q8_0.gguf');
    await put('acme/fine/README.md', '12345');
    expect(await remove('fine')).toEqual({ name: 'acme/fine', freedBytes: bytes.length + 5 });
  });

  test('keeps files of the user, and so the folder', async () => {
    await put('acme/fine/fine.gguf');
    await put('acme/fine/notes.txt', 'mine');
    await remove('acme/fine');
    expect(await files()).toEqual(['acme/fine/notes.txt']);
  });

  test('keeps the other models of its folder, and shared files', async () => {
    await put('acme/pets/cat-Q8_0.gguf');
    await put('acme/pets/dog-Q8_0.gguf');
    await put('acme/pets/mmproj-cat-F16.gguf', projector);
    await put('acme/pets/mmproj-F16.gguf', projector);
    await put('acme/pets/README.md', '# pets');
    await remove('acme/cat');
    expect(await files()).toEqual([
      'acme/pets/README.md',
      'acme/pets/dog-Q8_0.gguf',
      'acme/pets/mmproj-F16.gguf',
    ]);
  });

  test('of MLX is removed with its folder', async () => {
    await put('acme/mlx/config.json', JSON.stringify({ model_type: 'qwen3' }));
    await put('acme/mlx/model.safetensors', 'x'.repeat(100));
    await put('acme/mlx/model.safetensors.index.json', '{}');
    await put('acme/mlx/tokenizer.json', '{}');
    await put('acme/mlx/merges.txt', '');
    await remove('acme/mlx');
    expect(await readdir(folder)).toEqual([]);
  });

  test('is removed even if it cannot be read', async () => {
    await put('acme/bad/bad-Q8_0.gguf', 'junk');
    await put('acme/half/half-00001-of-00003.gguf');
    await put('acme/half/half-00002-of-00003.gguf', writeGguf({ metadata: { 'split.no': 1 } }));
    await remove('acme/bad');
    await remove('acme/half');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a variant', () => {
  test('is removed alone; the last one with the projector', async () => {
    await put('acme/see/see-Q4_0.gguf', q4);
    await put('acme/see/see-Q8_0.gguf', q8);
    await put('acme/see/mmproj-F16.gguf', projector);
    const removed = await remove('See@Q4_0');
    expect(removed).toEqual({ name: 'acme/see@q4_0', freedBytes: q4.length });
    expect(await files()).toEqual(['acme/see/mmproj-F16.gguf', 'acme/see/see-Q8_0.gguf']);
    expect(await remove('acme/see@q8_0')).toMatchObject({ name: 'acme/see' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('is removed alone if it is broken', async () => {
    await put('acme/fine/fine-Q4_0.gguf', 'junk');
    await put('acme/fine/fine-Q8_0.gguf');
    await remove('acme/fine@q4_0');
    expect(await files()).toEqual(['acme/fine/fine-Q8_0.gguf']);
  });

  test('that does not exist removes nothing', async () => {
    await put('acme/fine/fine-Q8_0.gguf');
    await expect(remove('acme/fine@q2_k')).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await files()).toHaveLength(1);
  });
});

describe('links', () => {
  test('are removed alone and free nothing', async () => {
    const outside = join(home, 'outside.gguf');
    await writeFile(outside, bytes);
    await mkdir(join(folder, 'acme/soft'), { recursive: true });
    await symlink(outside, join(folder, 'acme/soft/soft.gguf'));
    await mkdir(join(folder, 'acme/hard'), { recursive: true });
    await link(outside, join(folder, 'acme/hard/hard.gguf'));
    for (const name of ['soft', 'hard'])
      expect(await remove(name)).toEqual({ name: `acme/${name}`, freedBytes: 0 });
    expect((await readFile(outside)).equals(bytes)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  test('to a repository elsewhere are removed without its files', async () => {
    await mkdir(join(home, 'elsewhere'));
    await writeFile(join(home, 'elsewhere/fine.gguf'), bytes);
    await mkdir(join(folder, 'acme'));
    await symlink(join(home, 'elsewhere'), join(folder, 'acme/fine'));
    expect(await remove('acme/fine')).toEqual({ name: 'acme/fine', freedBytes: 0 });
    expect(await readdir(join(home, 'elsewhere'))).toEqual(['fine.gguf']);
    expect(await readdir(folder)).toEqual([]);
  });

  test('to more than the removed model prevent the removal', async () => {
    await mkdir(join(home, 'elsewhere/fine'), { recursive: true });
    await writeFile(join(home, 'elsewhere/fine/cat-Q8_0.gguf'), q8);
    await symlink(join(home, 'elsewhere'), join(folder, 'acme'));
    await expect(remove('acme/fine')).rejects.toMatchObject({ code: 'conflict' });
    await writeFile(join(home, 'elsewhere/fine/cat-Q4_0.gguf'), q4);
    await mkdir(join(folder, 'own'));
    await symlink(join(home, 'elsewhere/fine'), join(folder, 'own/fine'));
    await expect(remove('own/fine@q8_0')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('reached over a link'),
    });
    expect(await readdir(join(home, 'elsewhere/fine'))).toHaveLength(2);
  });
});

describe('a removal', () => {
  test('is prevented by an error of assertUnused', async () => {
    await put('acme/Fine-GGUF/fine-Q8_0.gguf');
    const seen: PlannedRemoval[] = [];
    const objection = library().remove('acme/fine', (removal) => {
      seen.push(removal);
      throw new Error('in use');
    });
    await expect(objection).rejects.toThrow('in use');
    expect(seen).toEqual([
      {
        key: 'acme/fine',
        repositoryName: 'acme/fine-gguf',
        files: [join(folder, 'acme/Fine-GGUF/fine-Q8_0.gguf')],
      },
    ]);
    expect(await files()).toHaveLength(1);
  });

  test('runs once for two concurrent calls', async () => {
    await put('acme/fine/fine.gguf');
    await put('acme/other/other.gguf');
    const shared = library();
    const results = await Promise.allSettled([
      shared.remove('acme/fine', () => {}),
      shared.remove('acme/fine', () => {}),
      shared.list(),
      shared.remove('acme/other', () => {}),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(results[1]).toMatchObject({ reason: { code: 'model_not_found' } });
    expect(await shared.list()).toEqual([]);
  });

  test.each(['extra', 'starter'] as const)(
    'of a model of the root %s is refused',
    async (origin) => {
      const file = await put('acme/fine/fine.gguf');
      const owned = join(home, 'own');
      await mkdir(owned);
      const all = createModelLibrary({
        roots: [{ folder: owned }, { folder, origin }],
        logger: createLogger('silent'),
        signal,
      });
      const removal = all.remove('acme/fine', () => {});
      await expect(removal).rejects.toMatchObject({ code: 'conflict', field: 'model' });
      await expect(access(file)).resolves.toBeUndefined();
    },
  );

  test.each(['../outside', 'acme/../outside', '', '/', 'outside.gguf'])(
    'of %j finds nothing',
    async (identifier) => {
      await put('acme/fine/fine.gguf');
      await writeFile(join(home, 'outside.gguf'), bytes);
      await expect(remove(identifier)).rejects.toMatchObject({ code: 'model_not_found' });
      expect(await readdir(home)).toContain('outside.gguf');
    },
  );
});

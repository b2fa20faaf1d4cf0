import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { importModels, type ImportOptions } from './import-models.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;
const model = writeGguf({ metadata: plainModel });
const projector = writeGguf({ metadata: { ...plainModel, 'general.type': 'mmproj' } });
let home = '';
let modelsFolder = '';

beforeEach(async () => {
  home = await temporaryFolder();
  modelsFolder = join(home, 'library');
});

async function put(path: string, content: string | Buffer = model): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), content);
}

const run = (folder: string, options: Partial<ImportOptions> = {}) =>
  importModels({ path: join(home, folder), modelsFolder, how: 'copy', signal, ...options });

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

describe('a folder', () => {
  test('keeps the names of publishers and repositories', async () => {
    await put('from/acme/Fine-GGUF/Fine-Q4_0.gguf');
    await put('from/acme/Fine-GGUF/Fine-Q8_0.gguf');
    await put('from/acme/Fine-GGUF/mmproj-F16.gguf', projector);
    await put('from/other/big/part/big-00001-of-00002.gguf', splitPart(0));
    await put('from/other/big/part/big-00002-of-00002.gguf', splitPart(1));
    await put('from/other/big/README.md', '#');
    const { keys, leftOut } = await run('from');
    expect({ keys, leftOut }).toEqual({ keys: ['acme/fine', 'other/big'], leftOut: [] });
    expect(await filesIn(modelsFolder)).toEqual([
      'acme/Fine-GGUF/Fine-Q4_0.gguf',
      'acme/Fine-GGUF/Fine-Q8_0.gguf',
      'acme/Fine-GGUF/mmproj-F16.gguf',
      'other/big/part/big-00001-of-00002.gguf',
      'other/big/part/big-00002-of-00002.gguf',
    ]);
  });

  test.each([
    ['models/acme/Fine-GGUF', 'acme/fine'],
    ['models/acme', 'acme/fine'],
    ['', 'acme/fine'],
  ])('%j says who published it if it lies below models', async (folder, key) => {
    await put('models/acme/Fine-GGUF/Fine-Q8_0.gguf');
    expect(await run(folder)).toMatchObject({ keys: [key] });
  });

  test('with files of many models: names each model after its file', async () => {
    await put('from/cat-Q8_0.gguf');
    await put('from/dog-Q4_0.gguf');
    await put('from/dog-Q8_0.gguf');
    await put('from/mmproj-dog-F16.gguf', projector);
    expect((await run('from', { publisher: 'me' })).keys).toEqual(['me/cat', 'me/dog']);
    expect(await readdir(join(modelsFolder, 'me/dog'))).toHaveLength(3);
  });

  test('of MLX is imported completely', async () => {
    await put('from/Qwen3-4bit/config.json', JSON.stringify({ model_type: 'qwen3' }));
    for (const name of [
      'model.safetensors',
      'tokenizer.json',
      'merges.txt',
      '1_Pooling/config.json',
    ])
      await put(`from/Qwen3-4bit/${name}`, 'x');
    await put('from/Qwen3-4bit/.cache/lock', 'x');
    expect((await run('from/Qwen3-4bit')).keys).toEqual(['local/qwen3-4bit']);
    expect(await filesIn(join(modelsFolder, 'local/Qwen3-4bit'))).toEqual([
      '1_Pooling/config.json',
      'config.json',
      'merges.txt',
      'model.safetensors',
      'tokenizer.json',
    ]);
  });

  test.each(['move', 'hardlink', 'symlink'] as const)('is imported by %s too', async (how) => {
    await put('from/acme/fine/fine-Q8_0.gguf');
    await put('from/acme/fine/mmproj-F16.gguf', projector);
    expect((await run('from', { how })).keys).toEqual(['acme/fine']);
    expect(await filesIn(join(home, 'from'))).toHaveLength(how === 'move' ? 0 : 2);
    expect(await readdir(join(modelsFolder, 'acme/fine'))).toHaveLength(2);
  });

  test('includes files below the weights', async () => {
    await put('from/loose-Q8_0.gguf');
    await put('from/inner/other-Q8_0.gguf');
    await put('from/acme/fine/fine-Q8_0.gguf');
    const { keys } = await run('from');
    expect(keys).toEqual(['local/loose', 'local/other', 'acme/fine']);
  });

  test('skips unusable and existing models, and reports them', async () => {
    await put('from/good-Q8_0.gguf');
    await put('from/inner/bad-Q8_0.gguf', 'junk');
    const first = await run('from');
    expect(first.keys).toEqual(['local/good']);
    expect(first.leftOut).toMatchObject([
      { name: 'inner/bad-Q8_0.gguf', error: { code: 'corrupt_file' } },
    ]);
    const again = await run('from');
    expect(again.keys).toEqual([]);
    expect(again.leftOut.map(({ name }) => name)).toEqual([
      'inner/bad-Q8_0.gguf',
      'good-Q8_0.gguf',
    ]);
    await put('from/new-Q8_0.gguf');
    const second = await run('from');
    expect(second.keys).toEqual(['local/new']);
    expect(second.leftOut.map(({ error }) => error.code)).toEqual(['corrupt_file', 'conflict']);
    await expect(run('from/good-Q8_0.gguf')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('imports no part of a model if one file exists', async () => {
    await put('from/acme/fine/fine-Q8_0.gguf');
    await put('from/acme/fine/mmproj-F16.gguf', projector);
    await put('library/acme/fine/mmproj-F16.gguf', 'mine');
    for (const how of ['copy', 'move', 'hardlink', 'symlink'] as const)
      await expect(run('from', { how })).rejects.toMatchObject({ code: 'conflict' });
    expect(await filesIn(modelsFolder)).toEqual(['acme/fine/mmproj-F16.gguf']);
    expect(await filesIn(join(home, 'from'))).toHaveLength(2);
  });

  test('leaves only complete models when stopped', async () => {
    const stop = new AbortController();
    await put('from/acme/one/one-Q8_0.gguf');
    await put('from/acme/two/two-Q8_0.gguf');
    await put('from/acme/two/mmproj-F16.gguf', projector);
    const onProgress = ({ copiedBytes }: { copiedBytes: number }) => {
      if (copiedBytes > model.length) stop.abort();
    };
    const running = run('from', { signal: stop.signal, onProgress });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(await filesIn(modelsFolder)).toEqual(['acme/one/one-Q8_0.gguf']);
    expect(await readdir(join(modelsFolder, 'acme'))).toEqual(['one']);
  });

  test('counts the bytes of all its models', async () => {
    await put('from/acme/one/one-Q8_0.gguf');
    await put('from/acme/two/two-Q8_0.gguf');
    const seen: number[] = [];
    await run('from', {
      onProgress: ({ copiedBytes, totalBytes }) => seen.push(copiedBytes / totalBytes),
    });
    expect(seen.at(-1)).toBe(1);
    expect(seen.toSorted((left, right) => left - right)).toEqual(seen);
  });

  test('is rejected without models, or with too many for one name', async () => {
    await mkdir(join(home, 'empty'));
    await expect(run('empty')).rejects.toMatchObject({
      code: 'invalid_value',
      message:
        'The folder "empty" contains no model: neither GGUF files, nor config.json with *.safetensors.',
    });
    await put('from/cat-Q8_0.gguf');
    await put('from/dog-Q8_0.gguf');
    await expect(run('from', { repo: 'pets' })).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'repo',
    });
    await put('bad/bad.gguf', 'junk');
    await expect(run('bad')).rejects.toMatchObject({ code: 'corrupt_file' });
    await expect(stat(modelsFolder)).rejects.toThrow('ENOENT');
  });

  test('results in valid folder names', async () => {
    await put('from/we:ird@x/re*po/a.gguf');
    expect((await run('from')).keys).toEqual(['we-ird-x/re-po']);
  });
});

function splitPart(number: number): Buffer {
  return writeGguf({
    metadata: number === 0 ? { ...plainModel, 'split.count': 2 } : { 'split.no': number },
  });
}

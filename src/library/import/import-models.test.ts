import { lstat, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { createModelLibrary } from '../library.ts';
import { importModels, type ImportOptions } from './import-models.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;
let home = '';
let modelsFolder = '';

beforeEach(async () => {
  home = await temporaryFolder();
  modelsFolder = join(home, 'models');
});

async function putModel(name: string, metadata = {}): Promise<string> {
  const file = join(home, name);
  await writeFile(file, writeGguf({ metadata: { ...plainModel, ...metadata } }));
  return file;
}

function importAll(path: string, options: Partial<ImportOptions> = {}) {
  return importModels({ path, modelsFolder, how: 'copy', signal, ...options });
}

async function run(file: string, options: Partial<ImportOptions> = {}) {
  const { keys } = await importAll(file, options);
  return { key: keys[0] ?? '' };
}

function placedFiles() {
  return readdir(modelsFolder, { recursive: true });
}

describe('a file', () => {
  test.each([
    { how: 'copy', sourceStays: true, isSameFile: false, isLink: false },
    { how: 'move', sourceStays: false, isSameFile: true, isLink: false },
    { how: 'hardlink', sourceStays: true, isSameFile: true, isLink: false },
    { how: 'symlink', sourceStays: true, isSameFile: true, isLink: true },
  ] as const)('by $how', async ({ how, sourceStays, isSameFile, isLink }) => {
    const file = await putModel('Fine-7B-Q8_0.gguf');
    const { ino } = await stat(file);
    expect(await run(file, { how })).toEqual({ key: 'local/fine-7b' });
    const target = join(modelsFolder, 'local/Fine-7B/Fine-7B-Q8_0.gguf');
    expect((await stat(target)).ino === ino).toBe(isSameFile);
    expect((await lstat(target)).isSymbolicLink()).toBe(isLink);
    expect((await readdir(home)).includes('Fine-7B-Q8_0.gguf')).toBe(sourceStays);
    expect(await readdir(join(modelsFolder, 'local/Fine-7B'))).toEqual(['Fine-7B-Q8_0.gguf']);
  });

  test('copies every byte', async () => {
    const file = 'models/starter/starter-chat/starter-chat-q8_0.gguf';
    await run(file);
    const target = join(modelsFolder, 'local/starter-chat/starter-chat-q8_0.gguf');
    expect((await readFile(target)).equals(await readFile(file))).toBe(true);
  });

  test('returns the key of the model in the library', async () => {
    await run(await putModel('cat-Q8_0.gguf'), { publisher: 'Acme', repo: 'Pets-GGUF' });
    const { key } = await run(await putModel('dog-Q8_0.gguf'), {
      publisher: 'Acme',
      repo: 'Pets-GGUF',
    });
    expect(key).toBe('acme/dog');
    const library = createModelLibrary({
      roots: [{ folder: modelsFolder }],
      logger: createLogger('silent'),
      signal,
    });
    expect((await library.find(key)).model.key).toBe(key);
  });

  test('reports progress', async () => {
    const seen: { copiedBytes: number; totalBytes: number }[] = [];
    const file = 'models/starter/starter-chat/starter-chat-q8_0.gguf';
    await run(file, { onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toEqual({ copiedBytes: 3_131_840, totalBytes: 3_131_840 });
  });

  test('imports all parts of a split model', async () => {
    await putModel('big-00001-of-00002.gguf', { 'split.count': 2 });
    const second = await putModel('big-00002-of-00002.gguf', { 'split.no': 1 });
    expect(await run(second)).toEqual({ key: 'local/big' });
    expect(await placedFiles()).toHaveLength(4);
  });

  test('never replaces a file', async () => {
    const file = await putModel('fine.gguf');
    await run(file);
    for (const how of ['copy', 'move', 'hardlink', 'symlink'] as const)
      await expect(run(file, { how })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('already has a file fine.gguf there'),
      });
    await expect(stat(file)).resolves.toBeDefined();
  });

  test('leaves nothing behind when aborted', async () => {
    const stop = new AbortController();
    const file = 'models/starter/starter-chat/starter-chat-q8_0.gguf';
    const copying = run(file, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(copying).rejects.toMatchObject({ name: 'AbortError' });
    expect(await placedFiles()).toEqual([]);
  });

  test.each([
    ['corrupt_file', 'is not a GGUF file', 'page.gguf', '<!doctype html>'],
    ['corrupt_file', 'is empty', 'empty.gguf', ''],
    ['invalid_value', 'not the name of a GGUF file', 'model.bin', 'x'],
  ])('refuses with %s what %s', async (code, message, name, content) => {
    await writeFile(join(home, name), content);
    await expect(run(join(home, name))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    await expect(stat(modelsFolder)).rejects.toThrow('ENOENT');
  });

  test('rejects a missing file, and an incomplete split model', async () => {
    await expect(run(join(home, 'gone.gguf'))).rejects.toMatchObject({ code: 'missing_file' });
    const part = await putModel('big-00001-of-00002.gguf', { 'split.count': 2 });
    await expect(run(part)).rejects.toThrow('is split in 2 parts, and 1 are there');
  });

  test('requires the repository of a projector', async () => {
    const file = await putModel('mmproj-F16.gguf', { 'general.architecture': 'clip' });
    await expect(run(file)).rejects.toMatchObject({ code: 'invalid_value', field: 'repo' });
    await run(await putModel('see-Q8_0.gguf'));
    expect(await run(file, { repo: 'see' })).toEqual({ key: 'local/see' });
  });

  test.each([
    '',
    '.',
    '..',
    '../up',
    'a/b',
    String.raw`a\b`,
    'a\0b',
    'a\nb',
    '.hidden',
    'x@y',
    'c:',
    ' x',
    'x'.repeat(129),
  ])('rejects the name %j', async (name) => {
    const file = await putModel('fine.gguf');
    for (const param of ['publisher', 'repo'])
      await expect(run(file, { [param]: name })).rejects.toMatchObject({
        code: 'invalid_value',
        field: param,
      });
    await expect(stat(modelsFolder)).rejects.toThrow('ENOENT');
  });

  test('derives a folder name from any file name', async () => {
    await mkdir(join(home, 'odd'));
    expect(await run(await putModel('odd/.a@b: c-Q8_0.gguf'))).toEqual({ key: 'local/a-b- c' });
    expect(await run(await putModel('odd/Q8_0.gguf'))).toEqual({ key: 'local/model' });
  });
});

import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { receiveFile } from './receive-file.ts';
import { removePartialUploads } from './stage-upload.ts';

type Options = Parameters<typeof receiveFile>[0];

const model = writeGguf({ metadata: plainModel });
let modelsFolder = '';

beforeEach(async () => {
  modelsFolder = await temporaryFolder();
});

async function* inPieces(bytes: Buffer, pieceBytes = 100): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield bytes.subarray(start, start + pieceBytes);
}

const receive = (bytes: Buffer, options: Partial<Options> = {}) =>
  receiveFile({
    modelsFolder,
    homeId: 'home-1',
    publisher: 'me',
    repo: 'Mine-GGUF',
    file: 'mine-Q8_0.gguf',
    body: inPieces(bytes),
    signal: new AbortController().signal,
    ...options,
  });

const filesOnDisk = () => readdir(modelsFolder, { recursive: true });

describe('a model file that is uploaded', () => {
  it('is published under its name and key', async () => {
    expect(await receive(model)).toEqual({ key: 'me/mine', sizeBytes: model.length });
    expect((await filesOnDisk()).toSorted()).toEqual([
      'me',
      'me/Mine-GGUF',
      'me/Mine-GGUF/mine-Q8_0.gguf',
    ]);
  });

  it('has no key while parts are missing', async () => {
    const part = (number: number) =>
      writeGguf({ metadata: { ...plainModel, 'split.no': number, 'split.count': 2 } });
    const first = await receive(part(0), { file: 'big-00001-of-00002.gguf' });
    expect(first.key).toBeNull();
    const second = await receive(part(1), { file: 'big-00002-of-00002.gguf' });
    expect(second.key).toBe('me/mine');
  });

  it.each([
    ['bytes of another format', Buffer.from('PK\u0003\u0004'.repeat(100)), 'is not a GGUF file'],
    ['an empty body', Buffer.alloc(0), 'is empty'],
    ['a truncated file', model.subarray(0, -20), 'is truncated'],
    [
      'a header that lies',
      Buffer.concat([model.subarray(0, 8), Buffer.alloc(64, 255)]),
      'announces',
    ],
    [
      'a matrix',
      writeGguf({ metadata: { ...plainModel, 'general.type': 'imatrix' } }),
      'is neither a model nor an adapter',
    ],
  ])('is refused and leaves nothing: %s', async (_, bytes, reason) => {
    await expect(receive(bytes)).rejects.toMatchObject({
      code: 'corrupt_file',
      message: expect.stringContaining(reason),
    });
    expect(await filesOnDisk()).toEqual([]);
  });

  it('of another format is refused at its first bytes', async () => {
    let pieces = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pieces += 1;
        yield Buffer.alloc(1000, 'x');
      }
    }
    await expect(receive(model, { body: endless() })).rejects.toMatchObject({
      code: 'corrupt_file',
    });
    expect(pieces).toBeLessThan(100);
  });

  it('never replaces a file', async () => {
    await receive(model);
    await expect(receive(model)).rejects.toMatchObject({ code: 'conflict' });
    expect(await filesOnDisk()).toHaveLength(3);
  });

  it('is refused before its first byte if the disk has no room', async () => {
    let wasRead = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      wasRead = true;
      yield model;
    }
    const options = { body: body(), declaredBytes: 1e12, readFreeBytes: async () => 1e11 };
    await expect(receive(model, options)).rejects.toMatchObject({ code: 'insufficient_disk' });
    expect(wasRead).toBe(false);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('of unknown length is refused when the disk fills', async () => {
    const free = [1e12, 0];
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield model;
      for (;;) yield Buffer.alloc(64 * 1024 * 1024);
    }
    const options = { body: endless(), readFreeBytes: async () => free.shift() ?? 0 };
    await expect(receive(model, options)).rejects.toMatchObject({ code: 'insufficient_disk' });
    expect(await filesOnDisk()).toEqual([]);
  });

  it('leaves nothing when it breaks off', async () => {
    const stop = new AbortController();
    async function* body(): AsyncGenerator<Uint8Array> {
      yield model.subarray(0, 50);
      stop.abort(new Error('gone'));
      yield model.subarray(50);
    }
    await expect(receive(model, { body: body(), signal: stop.signal })).rejects.toThrow(
      /gone|aborted/,
    );
    expect(await filesOnDisk()).toEqual([]);
  });

  it('is removed by the next server of its home, not by that of another', async () => {
    const left = ['home-1.a', 'home-2.b'].map((name) => join(modelsFolder, '.uploads', name));
    for (const folder of left) await mkdir(folder, { recursive: true });
    await removePartialUploads(modelsFolder, 'home-1');
    expect(await readdir(join(modelsFolder, '.uploads'))).toEqual(['home-2.b']);
    await removePartialUploads(modelsFolder, 'home-2');
    expect(await filesOnDisk()).toEqual([]);
  });

  it('removes what a killed server left more than a day ago', async () => {
    for (const name of ['old', 'new']) {
      await mkdir(join(modelsFolder, '.uploads', name), { recursive: true });
      await writeFile(join(modelsFolder, '.uploads', name, 'part.gguf'), 'x');
    }
    await utimes(join(modelsFolder, '.uploads/old'), 0, 0);
    await receive(model);
    expect(await readdir(join(modelsFolder, '.uploads'))).toEqual(['new']);
  });

  it.each([
    [{ file: '../x.gguf' }],
    [{ file: '.hidden.gguf' }],
    [{ file: 'nul.gguf' }],
    [{ file: 'model.bin' }],
    [{ file: 'a\\b.gguf' }],
    [{ file: `${'x'.repeat(255)}.gguf` }],
    [{ file: 'a<b>.gguf' }],
    [{ publisher: 'Hearth' }],
    [{ publisher: '..' }],
    [{ publisher: '.downloads' }],
    [{ repo: 'a/b' }],
    [{ repo: 'a@b' }],
  ])('is refused with a name that has no place: %j', async (names) => {
    await expect(receive(model, names)).rejects.toMatchObject({ code: 'invalid_value' });
    expect(await filesOnDisk()).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { beforeEach, expect, it } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { hasBlob, importBlobs, receiveBlob } from './blobs.ts';
import { removePartialUploads } from './stage-upload.ts';

const model = writeGguf({ metadata: plainModel });
const part = (number: number) =>
  writeGguf({ metadata: { ...plainModel, 'split.no': number, 'split.count': 2 } });
const digestOf = (content: Buffer) =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;
const { signal } = new AbortController();
let modelsFolder = '';
const place = () => ({ modelsFolder, homeId: 'home', owner: null });

beforeEach(async () => {
  modelsFolder = await temporaryFolder();
});

async function receive(content: Buffer, owner: string | null = null): Promise<string> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield content.subarray(0, 50);
    yield content.subarray(50);
  }
  const digest = digestOf(content);
  await receiveBlob({ ...place(), owner, body: body(), signal }, digest);
  return digest;
}

type Blobs = Parameters<typeof importBlobs>[0]['blobs'];
const importAs = (blobs: Blobs, more: object = {}) =>
  importBlobs({ ...place(), publisher: 'me', repo: 'mine', kind: 'model', blobs, signal, ...more });
const filesOnDisk = () => readdir(modelsFolder, { recursive: true });

it('moves the parts of a model into the library', async () => {
  const [first, second] = [await receive(part(0)), await receive(part(1))];
  const blobs = [
    { file: 'm-00001-of-00002.gguf', digest: first },
    { file: 'm-00002-of-00002.gguf', digest: second },
  ];
  await expect(importAs(blobs.slice(0, 1))).rejects.toThrow(/not a whole model/);
  expect(await filesOnDisk()).not.toContain('me');
  expect(await importAs(blobs)).toBe('me/mine');
  expect(await filesOnDisk()).not.toContain('.uploads');
});

it('keeps files of owners apart, and those of a killed server until the next one', async () => {
  const digest = await receive(model, 'tok-1');
  expect(await hasBlob({ ...place(), owner: 'tok-1' }, digest)).toBe(true);
  expect(await hasBlob({ ...place(), owner: 'tok-2' }, digest)).toBe(false);
  await expect(importAs([{ file: 'm.gguf', digest }], { owner: 'tok-2' })).rejects.toThrow(
    /Upload it first/,
  );
  await removePartialUploads(modelsFolder, 'home');
  expect(await filesOnDisk()).toEqual([]);
});

it('refuses another file of the name, and a file of another kind', async () => {
  const digest = await receive(model);
  const blobs = [{ file: 'm.gguf', digest }];
  await expect(importAs(blobs, { kind: 'adapter' })).rejects.toThrow(/"m.gguf" is no adapter/);
  expect(await importAs(blobs)).toBe('me/mine');
  expect(await importAs(blobs)).toBe('me/mine');
  const other = await receive(writeGguf({ metadata: { ...plainModel, 'general.name': 'Other' } }));
  await expect(importAs([{ file: 'm.gguf', digest: other }])).rejects.toMatchObject({
    code: 'conflict',
  });
  await expect(importAs([...blobs, { file: 'n.gguf', digest }])).rejects.toThrow(/same digest/);
});

import { createHash } from 'node:crypto';
import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { hasBlob, importBlobs, receiveBlob } from './blobs.ts';
import { removePartialUploads } from './stage-upload.ts';

// Without a copy, functions of the module can't be replaced by spies.
vi.mock('node:fs/promises', async (original) => ({ ...(await original<typeof files>()) }));

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
const filesOnDisk = () => files.readdir(modelsFolder, { recursive: true });

it('moves the parts of a model into the library', async () => {
  const [first, second] = [await receive(part(0)), await receive(part(1))];
  const blobs = [
    { file: 'm-00001-of-00002.gguf', digest: first },
    { file: 'm-00002-of-00002.gguf', digest: second },
  ];
  await expect(importAs(blobs.slice(0, 1))).rejects.toThrow(/not one whole model/);
  expect(await filesOnDisk()).not.toContain('me');
  expect(await importAs(blobs)).toMatchObject({ key: 'me/mine' });
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
  expect(await importAs(blobs)).toMatchObject({ key: 'me/mine' });
  expect(await importAs(blobs)).toMatchObject({ key: 'me/mine' });
  const other = await receive(writeGguf({ metadata: { ...plainModel, 'general.name': 'Other' } }));
  await expect(importAs([{ file: 'm.gguf', digest: other }])).rejects.toMatchObject({
    code: 'conflict',
  });
  await expect(importAs([...blobs, { file: 'n.gguf', digest }])).rejects.toThrow(/same digest/);
});

it('refuses files that would rename a model that is there, and those of two models', async () => {
  const first = [{ file: 'v1.gguf', digest: await receive(model) }];
  const other = await receive(writeGguf({ metadata: { ...plainModel, 'general.name': 'Other' } }));
  const both = [...first, { file: 'mine.gguf', digest: other }];
  for (const blobs of [both, both.toReversed()])
    await expect(importAs(blobs)).rejects.toThrow(/not one whole model/);
  expect(await filesOnDisk()).not.toContain('me');
  await importAs(first);
  for (const file of ['v2.gguf', 'mine.gguf', 'v1-Q4_0.gguf'])
    await expect(importAs([{ file, digest: other }])).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('"v1.gguf" in me/mine. Delete its model first'),
    });
  expect(await importAs(first)).toMatchObject({ key: 'me/mine' });
  expect(await hasBlob(place(), other)).toBe(true);
});

it('is undone without the folder of the uploads, and with a file that came again', async () => {
  const blobs = [
    { file: 'm-00001-of-00002.gguf', digest: await receive(part(0)) },
    { file: 'm-00002-of-00002.gguf', digest: await receive(part(1)) },
  ];
  const { undo } = await importAs(blobs);
  expect(await filesOnDisk()).not.toContain('.uploads');
  await receive(part(1));
  await undo();
  for (const { digest } of blobs) expect(await hasBlob(place(), digest)).toBe(true);
  expect(await filesOnDisk()).not.toContain('me');
  const again = await importAs(blobs);
  expect(again.key).toBe('me/mine');
});

it('is undone from another disk', async () => {
  const digest = await receive(part(0));
  const crossing = (from: string, to: string) =>
    from.includes('.uploads') !== to.includes('.uploads');
  for (const name of ['link', 'rename'] as const) {
    const real = files[name];
    const spy = vi.spyOn(files, name).mockImplementation(async (from, to) => {
      if (crossing(String(from), String(to)))
        throw Object.assign(new Error(`EXDEV: ${name}`), { code: 'EXDEV' });
      await real(from, to);
    });
    onTestFinished(() => spy.mockRestore());
  }
  await expect(importAs([{ file: 'm-00001-of-00002.gguf', digest }])).rejects.toThrow(
    /not one whole model/,
  );
  expect(await hasBlob(place(), digest)).toBe(true);
  expect(await filesOnDisk()).not.toContain(join('me', 'mine'));
});

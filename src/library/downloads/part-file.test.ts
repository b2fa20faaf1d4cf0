import { getEventListeners } from 'node:events';
import { open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PartFile, progressPathOf } from './part-file.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const chunkBytes = 100;
const sizeBytes = 250;
const content = Buffer.from(Array.from({ length: sizeBytes }, (_, index) => index % 251));
const { signal } = new AbortController();

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, '0.part');
});

const openPart = (identity = 'a') => PartFile.open({ path, identity, sizeBytes, chunkBytes });
const append = (part: PartFile, index: number, start: number, end: number) => {
  const at = index * chunkBytes;
  return part.append(index, [content.subarray(at + start, at + end)]);
};

async function overwrite(file: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(bytes, 0, bytes.length, position);
  await handle.close();
}

describe('PartFile', () => {
  it('accepts chunks in any order and reports contiguous bytes', async () => {
    const part = await openPart();
    await append(part, 1, 0, 60);
    expect([part.readableFrom(0), part.readableFrom(100), part.receivedBytes]).toEqual([0, 60, 60]);
    await append(part, 0, 0, 100);
    expect(part.readableFrom(0)).toBe(160);
    await append(part, 2, 0, 50);
    await append(part, 1, 60, 100);
    expect([part.readableFrom(10), part.isComplete]).toEqual([240, true]);
    await part.close();
    expect((await readFile(path)).equals(content)).toBe(true);
  });

  it('never accepts more bytes than a chunk has', async () => {
    const part = await openPart();
    await append(part, 2, 0, 40);
    await expect(append(part, 2, 0, 11)).rejects.toThrow(RangeError);
    expect(part.receivedOf(2)).toBe(40);
    await part.close();
    expect(await readFile(path)).toHaveLength(sizeBytes);
  });

  it('fills gaps from a stream from the start', async () => {
    const part = await openPart();
    await append(part, 0, 0, 30);
    await append(part, 1, 0, 100);
    await part.fillIn(0, content.subarray(0, 120));
    await part.fillIn(120, content.subarray(120));
    expect(part.isComplete).toBe(true);
    await part.close();
    expect((await readFile(path)).equals(content)).toBe(true);
  });

  it('continues where an earlier run stopped, and detects lost bytes', async () => {
    const first = await openPart();
    await append(first, 0, 0, 100);
    await append(first, 1, 0, 60);
    await first.close();
    const second = await openPart();
    expect([second.receivedOf(0), second.receivedOf(1), second.receivedBytes]).toEqual([
      100, 60, 160,
    ]);
    await append(second, 1, 60, 100);
    const buffer = Buffer.alloc(33);
    expect(await second.isIntact(1, buffer, signal)).toBe(true);
    await overwrite(path, 199, Buffer.from([255]));
    expect(await second.isIntact(0, buffer, signal)).toBe(true);
    expect(await second.isIntact(1, buffer, signal)).toBe(false);
    await second.reset(1);
    expect([second.receivedOf(1), second.receivedBytes]).toEqual([0, 100]);
    await second.close();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its progress is gone', () => rm(progressPathOf(path))],
    ['its progress is cut', () => truncate(progressPathOf(path), 20)],
    ['its progress is junk', () => writeFile(progressPathOf(path), 'x'.repeat(500))],
    ['its content is gone', () => rm(path)],
    ['its content has another size', () => truncate(path, 7)],
  ])('starts again if %s', async (_, damage) => {
    const first = await openPart();
    await append(first, 0, 0, 100);
    await first.close();
    await damage();
    const second = await openPart();
    expect(second.receivedBytes).toBe(0);
    await second.close();
    expect(await readFile(path)).toHaveLength(sizeBytes);
  });

  it('starts again for another file', async () => {
    const first = await openPart('a');
    await append(first, 0, 0, 100);
    await first.close();
    const second = await openPart('b');
    expect(second.receivedBytes).toBe(0);
    await second.close();
  });

  it('ignores a record that is torn at any byte', async () => {
    const first = await openPart();
    await append(first, 0, 0, 100);
    await append(first, 1, 0, 60);
    await first.close();
    const whole = await readFile(progressPathOf(path));
    for (let byte = 64 + 16; byte < 64 + 32; byte += 1) {
      const torn = Buffer.from(whole);
      torn[byte] = (torn[byte] ?? 0) ^ 0x5a;
      await writeFile(progressPathOf(path), torn);
      const part = await openPart();
      expect([part.receivedOf(0), part.receivedOf(1)]).toEqual([100, 0]);
      await part.close();
    }
    for (let length = 0; length <= whole.length; length += 1) {
      await writeFile(progressPathOf(path), whole.subarray(0, length));
      const part = await openPart();
      expect([0, 100]).toContain(part.receivedOf(0));
      expect([0, 60]).toContain(part.receivedOf(1));
      await part.close();
    }
  });

  it('wakes readers that wait for a write or are aborted', async () => {
    const part = await openPart();
    const written = part.nextWrite(signal);
    await append(part, 0, 0, 1);
    await expect(written).resolves.toBeUndefined();
    const controller = new AbortController();
    const aborted = part.nextWrite(controller.signal);
    controller.abort();
    await expect(aborted).resolves.toBeUndefined();
    await part.close();
  });

  it('rejects a chunk beyond its end', async () => {
    const part = await openPart();
    expect(() => part.receivedOf(3)).toThrow('there is no chunk 3');
    expect(part.readableFrom(sizeBytes)).toBe(0);
    await expect(part.append(2, [Buffer.alloc(51)])).rejects.toThrow(
      'chunk 2 would get more bytes than it has',
    );
    await part.close();
  });

  it('reads at most the requested length and the size of the buffer', async () => {
    const part = await openPart();
    await append(part, 0, 0, 100);
    const buffer = Buffer.alloc(40);
    expect(await part.read(buffer, 10, 5)).toEqual(content.subarray(10, 15));
    expect(await part.read(buffer, 10, 90)).toEqual(content.subarray(10, 50));
    await part.close();
  });

  it('updates the checksum of a chunk with each piece', async () => {
    const part = await openPart();
    await part.append(0, [content.subarray(0, 10), content.subarray(10, 20)]);
    await part.append(0, [content.subarray(20, 30)]);
    expect(part.checksumOf(0)).toBe(crc32(content.subarray(0, 30)));
    await part.reset(0);
    expect(part.checksumOf(0)).toBe(0);
    await part.close();
  });

  it('is not intact if the disk has fewer bytes than recorded', async () => {
    const part = await openPart();
    await append(part, 0, 0, 100);
    await truncate(path, 60);
    const buffer = Buffer.alloc(100);
    expect(await part.isIntact(0, buffer, signal)).toBe(false);
    expect(await part.isIntact(1, buffer, signal)).toBe(true);
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(part.isIntact(0, buffer, aborted)).rejects.toThrow('stopped');
    await part.close();
  });

  it('counts a chunk that was reset as missing', async () => {
    const part = await openPart();
    await append(part, 0, 0, 100);
    await append(part, 1, 0, 100);
    await append(part, 2, 0, 50);
    await part.reset(1);
    expect([part.isComplete, part.receivedBytes, part.readableFrom(0)]).toEqual([false, 150, 100]);
    await part.close();
    const reopened = await openPart();
    expect([reopened.receivedOf(0), reopened.receivedOf(1), reopened.receivedOf(2)]).toEqual([
      100, 0, 50,
    ]);
    await reopened.close();
  });

  it.each([
    ['size', { sizeBytes: 240 }],
    ['chunk size', { chunkBytes: 50 }],
  ])('starts again with another %s', async (_, changed) => {
    const first = await openPart();
    await append(first, 0, 0, 100);
    await first.close();
    const second = await PartFile.open({ path, identity: 'a', sizeBytes, chunkBytes, ...changed });
    expect(second.receivedBytes).toBe(0);
    await second.close();
  });

  it('does not wait for a write once aborted', async () => {
    const part = await openPart();
    await expect(part.nextWrite(AbortSignal.abort())).resolves.toBeUndefined();
    const controller = new AbortController();
    const waiting = part.nextWrite(controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    await append(part, 0, 0, 1);
    await waiting;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    await part.close();
  });

  it('reports the time since the last write', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const part = await openPart();
      await append(part, 0, 0, 1);
      vi.advanceTimersByTime(250);
      expect(part.quietMs).toBe(250);
      await part.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

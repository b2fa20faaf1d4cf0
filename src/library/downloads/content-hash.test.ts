import { createHash } from 'node:crypto';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { hashWhileFilling, matchesChecksum } from './content-hash.ts';
import { PartFile } from './part-file.ts';

const { signal } = new AbortController();
/** Longer than one read of the hash. */
const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * 7) % 251));
const sha256 = createHash('sha256').update(content).digest('hex');
const blobSha1 = createHash('sha1')
  .update(`blob ${content.length}\0`)
  .update(content)
  .digest('hex');

let path: string;
beforeEach(async () => {
  path = join(await temporaryFolder(), 'file');
});

describe('matchesChecksum', () => {
  const matches = (
    hex: string,
    algorithm: 'sha256' | 'git-sha1' = 'sha256',
    size = content.length,
  ) => matchesChecksum(path, size, { algorithm, hex }, signal);

  it('compares size and hash, in either case of the digits', async () => {
    await writeFile(path, content);
    expect(await matches(sha256)).toBe(true);
    expect(await matches(sha256.toUpperCase())).toBe(true);
    expect(await matches('00')).toBe(false);
    expect(await matches(sha256, 'sha256', content.length - 1)).toBe(false);
  });

  it('supports the hashes of git', async () => {
    await writeFile(path, content);
    expect(await matches(blobSha1, 'git-sha1')).toBe(true);
    expect(await matches(sha256, 'git-sha1')).toBe(false);
  });

  it('stops when aborted', async () => {
    await writeFile(path, content);
    const aborted = AbortSignal.abort(new Error('stopped'));
    const checksum = { algorithm: 'sha256', hex: sha256 } as const;
    await expect(matchesChecksum(path, content.length, checksum, aborted)).rejects.toThrow(
      'stopped',
    );
  });
});

describe('hashWhileFilling', () => {
  const chunkBytes = 100_000;
  const openPart = (sizeBytes = content.length) =>
    PartFile.open({ path, identity: 'a', sizeBytes, chunkBytes });
  const fill = (part: PartFile, index: number) => {
    const start = index * chunkBytes;
    return part.append(index, [content.subarray(start, start + chunkBytes)]);
  };

  it.each(['in order', 'backwards'])('hashes chunks that come %s', async (order) => {
    const part = await openPart();
    const hashed = hashWhileFilling(part, 'sha256', signal);
    const indexes = [0, 1, 2, 3, 4, 5];
    for (const index of order === 'in order' ? indexes : indexes.toReversed()) {
      await fill(part, index);
    }
    expect(await hashed).toBe(sha256);
    await part.close();
  });

  it('hashes bytes of an earlier run, and an empty file', async () => {
    const part = await openPart();
    for (let index = 0; index < 6; index += 1) await fill(part, index);
    expect(await hashWhileFilling(part, 'git-sha1', signal)).toBe(blobSha1);
    await part.close();
    path += '.empty';
    const empty = await openPart(0);
    expect(await hashWhileFilling(empty, 'sha256', signal)).toBe(
      createHash('sha256').digest('hex'),
    );
    await empty.close();
  });

  it('stops when aborted before the start or while waiting', async () => {
    const part = await openPart();
    const early = AbortSignal.abort(new Error('early'));
    await expect(hashWhileFilling(part, 'sha256', early)).rejects.toThrow('early');
    const late = new AbortController();
    const hashed = hashWhileFilling(part, 'sha256', late.signal);
    setImmediate(() => late.abort(new Error('late')));
    await expect(hashed).rejects.toThrow('late');
    await part.close();
  });

  it('fails if the file is truncated while it is read', async () => {
    const part = await openPart();
    for (let index = 0; index < 6; index += 1) await fill(part, index);
    await truncate(path, 550_000);
    await expect(hashWhileFilling(part, 'sha256', signal)).rejects.toThrow(
      'the part file was truncated while it was read',
    );
    await part.close();
  });
});

import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { extractArchive } from './extract-archive.ts';
import { tarballOf, zipOf } from '../../../test/setup/engine/fake-release.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const formats = [
  ['tar.gz', tarballOf],
  ['zip', zipOf],
] as const;
const signal = new AbortController().signal;

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

async function extract(name: string, content: Buffer): Promise<string> {
  const target = join(folder, 'target');
  await writeFile(join(folder, name), content);
  await extractArchive(join(folder, name), target, signal);
  return target;
}

describe.each(formats)('extractArchive of a .%s', (extension, archiveOf) => {
  it('unpacks files and folders', async () => {
    const archive = archiveOf([
      { path: 'a/llama-server', content: 'server' },
      { path: 'a/lib/ggml', content: 'library' },
    ]);
    const target = await extract(`good.${extension}`, archive);
    expect(await readFile(join(target, 'a/llama-server'), 'utf8')).toBe('server');
    expect(await readFile(join(target, 'a/lib/ggml'), 'utf8')).toBe('library');
  });

  // covers server-27
  it.each([
    ['leads upwards', { path: '../evil', content: 'x' }],
    ['leads upwards in the middle', { path: 'a/../../evil', content: 'x' }],
    ['is absolute', { path: '/evil', content: 'x' }],
    ['links outside', { path: 'a/link', linkTo: '../../evil' }],
    ['links to an absolute path', { path: 'link', linkTo: '/etc' }],
  ])('rejects a path that %s', async (_, entry) => {
    const archive = archiveOf([{ path: 'a/good', content: 'good' }, entry]);
    await expect(extract(`hostile.${extension}`, archive)).rejects.toThrow(
      /outside|relative path|absolute path|not allowed/,
    );
    expect(await readdir(folder)).not.toContain('evil');
  });

  // covers server-27
  it('rejects an archive with too many entries', async () => {
    const entries = Array.from({ length: 10_001 }, (_, index) => ({ path: `f${index}` }));
    const archive = archiveOf(entries.map((entry) => ({ ...entry, content: '' })));
    await expect(extract(`many.${extension}`, archive)).rejects.toThrow('more than 10000 entries');
  });

  it('rejects a truncated archive and a file that is not an archive', async () => {
    const archive = archiveOf([{ path: 'a', content: 'content'.repeat(1000) }]);
    const unreadable = /central directory|unexpected end|TAR_BAD_ARCHIVE|truncated/i;
    const half = archive.subarray(0, archive.length / 2);
    await expect(extract(`half.${extension}`, half)).rejects.toThrow(unreadable);
    await expect(extract(`junk.${extension}`, Buffer.from('junk'))).rejects.toThrow(unreadable);
  });
});

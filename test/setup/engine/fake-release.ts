import { createHash } from 'node:crypto';
import { crc32, gzipSync } from 'node:zlib';
import { Header } from 'tar';
import type { PinnedRelease } from '../../../src/engines/runtimes/pinned-release.ts';

interface ArchiveEntry {
  readonly path: string;
  readonly content?: string;
  /** Target of a symbolic link, if the entry is one. */
  readonly linkTo?: string;
}

/** A `.tar.gz` with exactly these entries, even if they are hostile. */
export function tarballOf(entries: readonly ArchiveEntry[]): Buffer {
  const blocks: Buffer[] = [];
  for (const { path, content = '', linkTo } of entries) {
    const body = Buffer.from(content);
    const header = new Header({
      path,
      mode: 0o755,
      size: body.length,
      type: linkTo === undefined ? 'File' : 'SymbolicLink',
      linkpath: linkTo ?? '',
      mtime: new Date(0),
    });
    const block = Buffer.alloc(512);
    header.encode(block);
    blocks.push(block, body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A `.zip` of stored entries (APPNOTE 4.3). */
export function zipOf(entries: readonly ArchiveEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content = '', linkTo } of entries) {
    const name = Buffer.from(path);
    const body = Buffer.from(linkTo ?? content);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt32LE(crc32(body), 10);
    shared.writeUInt32LE(body.length, 14);
    shared.writeUInt32LE(body.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const attributes = Buffer.alloc(14);
    const mode = linkTo === undefined ? 0o100755 : 0o120777;
    attributes.writeUInt32LE((mode << 16) >>> 0, 6);
    attributes.writeUInt32LE(offset, 10);
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, name, body]);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0003'), shared, attributes, name);
    files.push(file);
    offset += file.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, directoryBytes, end]);
}

/** A program that only reports this build. */
export function fakeServerProgram(build: string): string {
  return `#!/bin/sh\necho "version: 0.6.0-dev (build ${build.slice(1)}, commit 0123abc)" >&2\n`;
}

/** The pin of a release that has one archive, for Linux on x64. */
export function pinOf(tag: string, fileName: string, content: Buffer): PinnedRelease {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { tag, builds: { 'linux-x64-cpu': { archives: [{ fileName, sha256 }] } } };
}

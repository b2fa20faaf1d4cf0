import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { errorCode } from '../../kernel/error-code.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface StaticFile {
  readonly contentType: string;
  /** True if the name contains a hash of the content. */
  readonly isHashed: boolean;
  readonly read: () => Promise<Bytes>;
  /** Compresses the bytes once and keeps the result. Absent if they are already compressed. */
  readonly readGzipped?: () => Promise<Bytes>;
  /** Absent if the file is not stored compressed. */
  readonly readBrotli?: () => Promise<Bytes>;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

export type StaticFiles = ReadonlyMap<string, StaticFile>;

/**
 * The files of a build by path relative to the folder, with `/` between segments; empty if the folder is missing. In
 * packages, text files are stored as `NAME.br`, compressed with Brotli.
 */
export async function listStaticFiles(folder: string): Promise<StaticFiles> {
  const files = new Map<string, StaticFile>();
  for (const path of await listNames(folder)) {
    const readPath = async () => copyOf(await readFile(join(folder, path)));
    const name = path.replace(/\.br$/, '');
    const file =
      name === path
        ? staticFile(name, readPath)
        : staticFile(name, async () => decompress(await readPath()), readPath);
    if (file !== undefined) files.set(name, file);
  }
  return files;
}

/** A file of a build; undefined if its type is not served. */
export function staticFile(
  name: string,
  read: () => Promise<Bytes>,
  readBrotli?: () => Promise<Bytes>,
): StaticFile | undefined {
  const contentType = contentTypes[extname(name)];
  if (contentType === undefined) return undefined;
  let gzipped: Promise<Bytes> | undefined;
  const readGzipped = () => (gzipped ??= read().then(compress));
  return {
    contentType,
    isHashed: name.startsWith('assets/'),
    read,
    ...(isCompressed(contentType) ? {} : { readGzipped }),
    ...(readBrotli === undefined ? {} : { readBrotli }),
  };
}

/** Copies the bytes: a buffer may share its memory with other files, which it would expose. */
export const copyOf = (bytes: Buffer): Bytes => new Uint8Array(bytes);

function isCompressed(contentType: string): boolean {
  return /^(image\/(?:png|webp)|font\/)/.test(contentType);
}

async function compress(bytes: Bytes): Promise<Bytes> {
  return copyOf(await promisify(gzip)(bytes));
}

async function decompress(bytes: Bytes): Promise<Bytes> {
  return copyOf(await promisify(brotliDecompress)(bytes));
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names.map((name) => name.replaceAll(sep, '/'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

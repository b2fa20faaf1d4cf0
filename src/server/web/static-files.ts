import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorCode } from '../../kernel/error-code.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface StaticFile {
  readonly contentType: string;
  /** Whether the name contains a hash of the content. */
  readonly isHashed: boolean;
  readonly read: () => Promise<Bytes>;
  /** Compresses the bytes once and keeps them. Absent if they are compressed already. */
  readonly readGzipped?: () => Promise<Bytes>;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** The files of a build by their path below the folder, with `/` between segments; empty if the folder is missing. */
export async function listStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  for (const name of await listNames(folder)) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const read = async (): Promise<Bytes> => new Uint8Array(await readFile(join(folder, name)));
    let gzipped: Promise<Bytes> | undefined;
    const readGzipped = () => (gzipped ??= read().then(compress));
    files.set(name, {
      contentType,
      isHashed: name.startsWith('assets/'),
      read,
      ...(isCompressed(contentType) ? {} : { readGzipped }),
    });
  }
  return files;
}

function isCompressed(contentType: string): boolean {
  return /^(image\/png|font\/)/.test(contentType);
}

async function compress(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await promisify(gzip)(bytes));
}

/** Whether an `Accept-Encoding` header names gzip with a weight above 0. */
export function acceptsGzip(header: string): boolean {
  return header.split(',').some((choice) => {
    const [name, weight = ''] = choice.split(';').map((part) => part.trim());
    return name === 'gzip' && !/^q=0(\.0*)?$/.test(weight);
  });
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

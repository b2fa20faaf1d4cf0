import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';

export interface StaticFile {
  readonly contentType: string;
  /** Whether the name contains a hash of the content. */
  readonly isHashed: boolean;
  /** Names of the encodings that the build wrote beside it. */
  readonly encodings: readonly Encoding[];
  readonly file: string;
}

type Encoding = (typeof encodings)[number];
const encodings = ['br', 'gzip'] as const;
const extensions = { br: '.br', gzip: '.gz' } as const;

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
  const names = new Set(await listNames(folder));
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    files.set(name, {
      contentType,
      isHashed: name.startsWith('assets/'),
      encodings: encodings.filter((each) => names.has(`${name}${extensions[each]}`)),
      file: join(folder, name),
    });
  }
  return files;
}

/** The bytes of a file in the first encoding that the client accepts. */
export async function readStaticFile(
  { file, encodings: available }: StaticFile,
  acceptEncoding: string,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly encoding: Encoding | undefined }> {
  const accepted = acceptedEncodings(acceptEncoding);
  const encoding = available.find((each) => accepted.has(each));
  const path = encoding === undefined ? file : `${file}${extensions[encoding]}`;
  return { bytes: new Uint8Array(await readFile(path)), encoding };
}

function acceptedEncodings(header: string): ReadonlySet<string> {
  const choices = header.split(',').map((choice) => choice.split(';').map((part) => part.trim()));
  return new Set(
    choices.flatMap(([name = '', weight = '']) => (/^q=0(\.0*)?$/.test(weight) ? [] : [name])),
  );
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

import { readlink, stat } from 'node:fs/promises';

export interface ScannedFile {
  readonly path: string;
  /** Name of the file for display and naming; usually the last part of the path. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Derived from the file's size and times; a changed file has another fingerprint. */
  readonly fingerprint: string;
  /** Path of the license text that another program stores with the file. */
  readonly licensePath?: string;
  /** True if it is a link to a file that does not exist. */
  readonly isBrokenLink?: boolean;
}

/** Reads the metadata of a file; null if it is a folder, does not exist, or is a broken link. */
export async function statFile(path: string, name: string): Promise<ScannedFile | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const { size, mtimeMs, ctimeMs } = found;
  return { path, name, sizeBytes: size, fingerprint: `${size}:${mtimeMs}:${ctimeMs}` };
}

/** Finds a GGUF file that is a broken link; reading it reports the reason. */
export async function findBrokenLink(path: string, name: string): Promise<ScannedFile | null> {
  if (!/\.gguf$/i.test(name)) return null;
  const isThere = (await stat(path).catch(() => null)) !== null;
  const target = isThere ? null : await readlink(path).catch(() => null);
  if (target === null) return null;
  return { path, name, sizeBytes: 0, fingerprint: `link:${target}`, isBrokenLink: true };
}

/** True if the file is unchanged since the scan. */
export async function isUnchanged(file: ScannedFile): Promise<boolean> {
  return (await statFile(file.path, file.name))?.fingerprint === file.fingerprint;
}

import { stat } from 'node:fs/promises';

export interface ScannedFile {
  readonly path: string;
  /** The descriptive name of the file; usually the last part of the path. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Changes with the file; derived from its size and times. */
  readonly fingerprint: string;
}

/** null if it is not a file, does not exist, or is a broken link. */
export async function statFile(path: string, name: string): Promise<ScannedFile | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const { size, mtimeMs, ctimeMs } = found;
  return { path, name, sizeBytes: size, fingerprint: `${size}:${mtimeMs}:${ctimeMs}` };
}

/** Whether the file is unchanged since the scan. */
export async function isUnchanged(file: ScannedFile): Promise<boolean> {
  return (await statFile(file.path, file.name))?.fingerprint === file.fingerprint;
}

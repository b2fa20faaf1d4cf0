import { stat } from 'node:fs/promises';
import type { ModelSelection } from './model.ts';

/** See `ModelLibrary.fingerprint`. */
export async function readFingerprint({
  model,
  variant,
}: ModelSelection): Promise<string | undefined> {
  const paths = [...variant.files, ...(model.projectorPath === null ? [] : [model.projectorPath])];
  try {
    const found = await Promise.all(paths.map((path) => stat(path, { bigint: true })));
    return found.map(({ size, mtimeNs, ino }) => `${size}:${mtimeNs}:${ino}`).join(' ');
  } catch {
    return undefined;
  }
}

import { stat } from 'node:fs/promises';
import type { ModelSelection } from './model.ts';

/**
 * Size, modification time and inode of the files of a model, which an engine keeps mapped while it runs. Undefined if one
 * of them can't be read: a mapped file stays usable after its name is gone.
 */
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

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { ModelSelection } from './model.ts';

interface VariantFiles {
  readonly modifiedAt: Date;
  /** 64 hex digits that change with the files' state. Not a hash of the content, which would take too long. */
  readonly digest: string;
}

/** The state of a variant's files on disk. A missing file counts as empty. */
export async function variantFiles({ model, variant }: ModelSelection): Promise<VariantFiles> {
  const found = await Promise.all(variant.files.map((path) => stat(path).catch(() => undefined)));
  const times = found.map((file) => file?.mtimeMs ?? 0);
  const sizes = found.map((file) => file?.size ?? 0);
  const identity = JSON.stringify([model.key, variant.id, times, sizes]);
  return {
    modifiedAt: new Date(Math.max(0, ...times)),
    digest: createHash('sha256').update(identity).digest('hex'),
  };
}

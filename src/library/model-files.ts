import { stat } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import type { ModelSelection } from './model.ts';

interface ModelFile {
  /** Path in the folder of the model, with `/`. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly role: 'weights' | 'projector';
}

/** The files of a variant and its projector, without files that were deleted in the meantime. */
export async function listModelFiles({
  model,
  variant,
}: ModelSelection): Promise<readonly ModelFile[]> {
  const folder = model.format === 'mlx' ? variant.path : dirname(variant.path);
  const { projectorPath } = model;
  const known = [
    ...variant.files.map((path) => ({ path, role: 'weights' as const })),
    ...(projectorPath === null ? [] : [{ path: projectorPath, role: 'projector' as const }]),
  ];
  const files = await Promise.all(
    known.map(async ({ path, role }) => {
      const found = await stat(path).catch(() => undefined);
      const inside = relative(folder, path).replaceAll('\\', '/');
      const name = inside.startsWith('..') ? basename(path) : inside;
      return found === undefined ? [] : [{ name, sizeBytes: found.size, role }];
    }),
  );
  return files.flat();
}

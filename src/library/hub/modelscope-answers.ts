import * as z from 'zod';
import { pathFault } from './file-path.ts';
import type { HubFile, HubSearchResult } from './hub.ts';
import { parseRepositoryName } from './repository-name.ts';

/**
 * Schemas for ModelScope's answers. Source: `_openapi.py` and `_legacy_api.py` of the package `modelscope-hub`; the list
 * of files belongs to an older API than the search and the description of a model.
 */

const entrySchema = z.object({
  Type: z.string().max(64),
  Path: z.string().min(1).max(8192),
  Size: z
    .int()
    .min(0)
    .max(2 ** 50),
  Sha256: z.string().nullish(),
});

export const fileListSchema = z.object({
  /** null if the branch does not exist. */
  Data: z.object({ Files: z.array(entrySchema).nullable() }),
});

const count = z.int().min(0).nullish().catch(null);

const modelSchema = z.object({
  id: z.string().max(300),
  license: z.string().nullish().catch(null),
  downloads: count,
  likes: count,
  last_modified: z.coerce.date().nullish().catch(null),
  gated: z.boolean().nullish().catch(null),
  tags: z.array(z.string()).nullish().catch(null),
  tasks: z.array(z.string()).nullish().catch(null),
});

export type ModelScopeModel = z.infer<typeof modelSchema>;

export const modelAnswerSchema = z.object({ data: modelSchema });
export const searchAnswerSchema = z.object({ data: z.object({ models: z.array(z.unknown()) }) });

/**
 * The files of a list that can be verified after a download. ModelScope has a SHA-256 even for small files.
 *
 * @returns Instead of the files, the path if one could leave its folder or occurs twice.
 */
export function toHubFiles(
  entries: readonly z.infer<typeof entrySchema>[],
): readonly HubFile[] | { readonly hostilePath: string } {
  const files = new Map<string, HubFile>();
  for (const { Type: type, Path: path, Size: sizeBytes, Sha256: hash } of entries) {
    if (type !== 'blob') continue;
    const fault = pathFault(path);
    if (fault === 'hostile' || files.has(path)) return { hostilePath: path };
    const hex = hash?.toLowerCase() ?? '';
    if (fault !== null || !/^[\da-f]{64}$/.test(hex)) continue;
    files.set(path, { path, sizeBytes, checksum: { algorithm: 'sha256', hex } });
  }
  return [...files.values()];
}

/** Parses a search result; null if Hearth could not download it. */
export function toSearchResult(found: unknown): HubSearchResult | null {
  const { data } = modelSchema.safeParse(found);
  const name = parseRepositoryName(data?.id ?? '');
  if (data === undefined || name === null) return null;
  return {
    ...name,
    downloadCount: data.downloads ?? 0,
    likeCount: data.likes ?? 0,
    updatedAt: data.last_modified ?? new Date(0),
    isGated: data.gated ?? false,
    task: data.tasks?.[0]?.slice(0, 100) ?? null,
    license: licenseOf(data),
  };
}

/** The license's name according to the owner, such as `apache-2.0`. */
export function licenseOf({ license, tags }: ModelScopeModel): string | null {
  const tag = tags?.find((text) => text.startsWith('license:'))?.slice('license:'.length);
  const name = (license || tag || '').trim().toLowerCase();
  return /^[\w.+ -]{1,100}$/.test(name) ? name : null;
}

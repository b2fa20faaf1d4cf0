import * as z from 'zod';
import { printableText } from '../printable-text.ts';
import type { FileChecksum, HubFile, HubSearchResult } from './hub.ts';
import { parseRepositoryName } from './repository-name.ts';

/** Schemas for the hub's responses follow. */

const sizeBytes = z
  .number()
  .int()
  .min(0)
  .max(2 ** 50);
const sha256 = z.string().regex(/^(?:sha256:)?[\da-f]{64}$/i);
const sha1 = z.string().regex(/^[\da-f]{40}$/i);
const tags = z.array(z.string()).catch([]);

const fileEntrySchema = z.object({
  type: z.literal('file'),
  path: z.string().min(1).max(8192),
  size: sizeBytes,
  oid: sha1.optional(),
  lfs: z.object({ oid: sha256, size: sizeBytes }).optional(),
});

const otherEntrySchema = z.object({ type: z.string().max(64) });

/** Parses one entry of a listing; null for folders and the like. @throws ZodError */
export function parseEntry(entry: unknown): HubFile | null {
  const { type } = otherEntrySchema.parse(entry);
  if (type !== 'file') return null;
  const { path, size, oid, lfs } = fileEntrySchema.parse(entry);
  if (lfs !== undefined && lfs.size !== size) throw new Error('two sizes for one file');
  return { path, sizeBytes: size, checksum: checksumOf(oid, lfs?.oid) };
}

function checksumOf(oid: string | undefined, lfsOid: string | undefined): FileChecksum {
  if (lfsOid !== undefined) {
    return { algorithm: 'sha256', hex: lfsOid.replace(/^sha256:/i, '').toLowerCase() };
  }
  if (oid === undefined) throw new Error('a file without a checksum');
  return { algorithm: 'git-sha1', hex: oid.toLowerCase() };
}

const nameSchema = z.string().transform((text, context) => {
  const name = parseRepositoryName(text);
  if (name !== null) return name;
  context.addIssue({ code: 'custom', message: 'not the name of a repository' });
  return z.NEVER;
});

const isGated = z
  .union([z.boolean(), z.string()])
  .nullish()
  .transform((gated) => gated !== undefined && gated !== null && gated !== false);

const knownCount = z.number().int().min(0).nullish().catch(null);

export const modelInfoSchema = z.object({
  name: nameSchema,
  /** Commit of the requested revision. */
  sha: sha1.transform((hex) => hex.toLowerCase()),
  gated: isGated,
  tags,
  library_name: z.string().nullish().catch(undefined),
  downloads: knownCount,
  likes: knownCount,
  updatedAt: z.date().nullish().catch(null),
});

export type ModelInfo = z.infer<typeof modelInfoSchema>;

const count = z.number().int().min(0).catch(0);

const searchResultSchema = z.object({
  name: nameSchema,
  downloads: count,
  likes: count,
  updatedAt: z.date(),
  gated: isGated,
  tags,
  task: z.string().max(100).nullish().catch(undefined),
});

/** Parses a search result; null if Hearth could not download it. */
export function parseSearchResult(found: unknown): HubSearchResult | null {
  const { data } = searchResultSchema.safeParse(found);
  if (data === undefined) return null;
  return {
    ...data.name,
    downloadCount: data.downloads,
    likeCount: data.likes,
    updatedAt: data.updatedAt,
    isGated: data.gated,
    task: data.task ?? null,
    license: licenseOf(data.tags),
  };
}

const maxTags = 100;

/** The tags to show: printable, at most 100 of at most 100 characters. */
export function shownTags(repositoryTags: readonly string[]): readonly string[] {
  return repositoryTags
    .map((tag) => printableText(tag, 100))
    .filter((tag) => tag !== '')
    .slice(0, maxTags);
}

/** License of a repository from its tags, such as `apache-2.0`. */
export function licenseOf(repositoryTags: readonly string[]): string | null {
  const tag = repositoryTags.find((text) => /^license:[\w.+-]{1,100}$/.test(text));
  return tag?.slice('license:'.length) ?? null;
}

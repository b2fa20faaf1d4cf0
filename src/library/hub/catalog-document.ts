import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { CatalogEntry } from './catalog-entries.ts';
import { parseRepositoryName } from './repository-name.ts';

const line = (maxLength: number) =>
  z
    .string()
    .regex(/^\P{C}+$/u)
    .max(maxLength);

const entrySchema = z
  .object({
    id: z.string().regex(/^[a-z\d][a-z\d.-]{1,99}$/),
    type: z.enum(['llm', 'vlm', 'embedding', 'reranker']),
    repository: z.string().refine((name) => parseRepositoryName(name) !== null),
    quantization: z.string().regex(/^[\w.-]{1,40}$/),
    size_bytes: z.int().positive(),
    license: line(100),
    description: line(300),
    min_dimensions: z.int().positive().optional(),
    active_share: z.number().positive().max(1).optional(),
  })
  .transform((document) => {
    const { size_bytes: approximateBytes, min_dimensions, active_share, ...entry } = document;
    const optional = { minDimensions: min_dimensions, activeShare: active_share };
    return { ...entry, approximateBytes, ...omitUndefined(optional) };
  });

const documentSchema = z.object({
  // Versions are compared as text, so they need one format.
  version: z.iso.datetime({ precision: 0 }),
  models: z
    .array(entrySchema)
    .min(1)
    .max(1000)
    .refine((models) => new Set(models.map(({ id }) => id)).size === models.length, {
      error: 'an id occurs twice',
    }),
});

export interface CatalogDocument {
  /** Time at which the list was made, such as `2026-11-24T00:00:00Z`. */
  readonly version: string;
  readonly models: readonly CatalogEntry[];
}

/** @throws Error that describes the first fault. */
export function parseCatalogDocument(text: string): CatalogDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error('is not JSON', { cause: error });
  }
  const parsed = documentSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new Error(`${place === '' ? 'the list' : place} is invalid: ${issue?.message}`);
}

/**
 * An Ed25519 public key.
 *
 * @param base64 The 32 bytes of RFC 8032, or the key in SPKI format (RFC 8410).
 * @throws HearthError `invalid_value` if it is not such a key.
 */
export function parsePublicKey(base64: string): KeyObject {
  const bytes = Buffer.from(base64, 'base64');
  const der = bytes.length === 32 ? Buffer.concat([spkiPrefix, bytes]) : bytes;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Malformed keys get the error below.
  }
  throw new HearthError('invalid_value', 'The key must be an Ed25519 public key in Base64.', {
    field: 'key',
  });
}

/** The first bytes of every Ed25519 public key in SPKI format. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** True if the signature of the bytes is valid for the key. @param signature In Base64, or its 64 bytes. */
export function isSigned(bytes: Uint8Array, signature: Uint8Array, key: KeyObject): boolean {
  const raw =
    signature.length === 64 ? signature : Buffer.from(Buffer.from(signature).toString(), 'base64');
  return raw.length === 64 && verify(null, bytes, key, raw);
}

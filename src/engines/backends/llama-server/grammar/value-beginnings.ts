import { resolveJsonPointer } from './resolve-json-pointer.ts';
import { hasReference, isRecord, jsonTypes, type SchemaWalk } from './schema-walk.ts';

export type Beginning = 'object' | 'array';

const both: ReadonlySet<Beginning> = new Set(['object', 'array']);
const neither: ReadonlySet<Beginning> = new Set();
const maxDepth = 8;

/**
 * Whether the values of a schema may be objects, arrays or both, as in the copied schema: a reference that is
 * cut allows everything. An overestimate is harmless.
 */
export function valueBeginnings(
  schema: unknown,
  walk: Pick<SchemaWalk, 'root' | 'cuts'>,
  depth = 0,
): ReadonlySet<Beginning> {
  if (!isRecord(schema) || depth > maxDepth) return both;
  if ('$ref' in schema && !walk.cuts.has(schema)) {
    const target = resolveJsonPointer(walk.root, schema['$ref']);
    if (isRecord(target)) return valueBeginnings(target, walk, depth + 1);
  }
  if ('const' in schema && !hasReference(schema['const'])) return neither;
  const { type } = schema;
  const named = new Set<unknown>([type].flat());
  if (named.size === 0 || ![...named].every((one) => jsonTypes.has(one))) return both;
  return new Set([...both].filter((one) => named.has(one)));
}

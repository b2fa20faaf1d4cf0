import { resolveJsonPointer } from './resolve-json-pointer.ts';
import { isRecord, jsonTypes, type JsonSchema } from './schema-walk.ts';

export type Beginning = 'object' | 'array';

const both: ReadonlySet<Beginning> = new Set(['object', 'array']);
const neither: ReadonlySet<Beginning> = new Set();
const maxDepth = 8;

/** Whether the values of a schema may be objects, arrays or both; one more than there is does no harm. */
export function valueBeginnings(
  schema: unknown,
  root: JsonSchema,
  depth = 0,
): ReadonlySet<Beginning> {
  if (!isRecord(schema) || depth > maxDepth) return both;
  if ('$ref' in schema)
    return valueBeginnings(resolveJsonPointer(root, schema['$ref']), root, depth + 1);
  if ('const' in schema) return neither;
  const { type } = schema;
  const named = new Set<unknown>([type].flat());
  if (named.size === 0 || ![...named].every((one) => jsonTypes.has(one))) return both;
  return new Set([...both].filter((one) => named.has(one)));
}

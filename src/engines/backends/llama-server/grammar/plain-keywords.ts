import { isGrammarPattern } from './is-grammar-pattern.ts';
import {
  hasReference,
  jsonTypes,
  lose,
  shown,
  type JsonSchema,
  type Place,
  type SchemaWalk,
} from './schema-walk.ts';

const maxEnumCharacters = 32 * 1024;
const maxRepetitions = 1000;
const maxTotalRepetitions = 10_000;

const counts = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;

/** Keywords that the engine reads. They are handled in this file or in `grammar-schema.ts`. */
const heeded = new Set(
  [
    '$ref $defs definitions $schema $id properties required items additionalProperties'.split(' '),
    'prefixItems anyOf oneOf allOf type enum format pattern'.split(' '),
    'minimum maximum exclusiveMinimum exclusiveMaximum'.split(' '),
    ...counts,
  ].flat(),
);

/** Copies the supported keywords that contain no schemas, and the keywords that only the model reads. */
export function plainKeywords(schema: JsonSchema, place: Place, walk: SchemaWalk): JsonSchema {
  return {
    ...annotations(schema),
    ...kind(schema, place, walk),
    ...counts.reduce<JsonSchema>(
      (found, [least, most]) => ({ ...found, ...count(schema, least, most, place, walk) }),
      {},
    ),
    ...range(schema, place, walk),
  };
}

/** Copies the keywords that only the model reads. Leaves out references, which would not resolve in the copy. */
function annotations(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => !heeded.has(key) && !hasReference(value)),
  );
}

function kind(schema: JsonSchema, place: Place, walk: SchemaWalk): JsonSchema {
  const { type, enum: values, format, pattern } = schema;
  const result: Record<string, unknown> = {};
  if (type !== undefined) {
    const named: readonly unknown[] = Array.isArray(type) ? [...new Set(type)] : [type];
    const isKnown = named.length > 0 && named.every((one) => jsonTypes.has(one));
    if (isKnown) result['type'] = Array.isArray(type) ? named : type;
    else lose(walk, place, `has the type ${shown(type)}, which is not a JSON type`);
  }
  if (values !== undefined) {
    const isList = Array.isArray(values) && values.length > 0;
    if (isList && JSON.stringify(values).length <= maxEnumCharacters) result['enum'] = values;
    else {
      const limit = `has an \`enum\` with no values or more than ${maxEnumCharacters} characters`;
      lose(walk, place, limit);
    }
  }
  if (typeof format === 'string') result['format'] = format;
  if (isGrammarPattern(pattern)) result['pattern'] = pattern;
  else if (pattern !== undefined) {
    const limit = 'is not ASCII, has a quote, is not a regular expression or repeats too much';
    lose(walk, place, `has a \`pattern\` that ${limit}`);
  }
  return result;
}

function count(
  schema: JsonSchema,
  least: string,
  most: string,
  place: Place,
  walk: SchemaWalk,
): JsonSchema {
  const kept = [least, most].filter((key) => {
    const times = schema[key];
    if (times === undefined) return false;
    if (Number.isInteger(times) && Number(times) >= 0 && Number(times) <= maxRepetitions) {
      walk.repetitions += Number(times);
      if (walk.repetitions <= maxTotalRepetitions) return true;
    }
    const limit = `up to ${maxRepetitions} can be held to, and ${maxTotalRepetitions} in all`;
    lose(walk, place, `has \`${key}\` ${shown(times)}: ${limit}`);
    return false;
  });
  // With a minimum above the maximum, the engine counts without end and exhausts memory.
  if (kept.length === 2 && Number(schema[least]) > Number(schema[most])) {
    lose(walk, place, `has \`${least}\` above \`${most}\``);
    return {};
  }
  return Object.fromEntries(kept.map((key) => [key, schema[key]]));
}

/** The engine supports bounds only as integers of up to 16 digits. */
function range(schema: JsonSchema, place: Place, walk: SchemaWalk): JsonSchema {
  const { type, ...rest } = schema;
  const lower = { minimum: rest['minimum'], exclusiveMinimum: rest['exclusiveMinimum'] };
  const upper = { maximum: rest['maximum'], exclusiveMaximum: rest['exclusiveMaximum'] };
  const kept = Object.entries({ ...lower, ...upper }).filter(([key, bound]) => {
    if (bound === undefined) return false;
    if (typeof bound === 'number' && Math.abs(bound) <= Number.MAX_SAFE_INTEGER) return true;
    const isBeyond = typeof bound === 'number' && bound > 0 !== key in lower;
    if (!isBeyond) lose(walk, place, `has \`${key}\` ${shown(bound)}, which is out of range`);
    return false;
  });
  const result: Readonly<Record<string, unknown>> = Object.fromEntries(kept);
  const isInteger = [type].flat().includes('integer');
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = result;
  const least = Math.ceil(Number(minimum ?? Math.floor(Number(above ?? -Infinity)) + 1));
  const most = Math.floor(Number(maximum ?? Math.ceil(Number(below ?? Infinity)) - 1));
  if (!isInteger || least <= most) return result;
  lose(walk, place, 'has a range that no integer is in');
  return {};
}

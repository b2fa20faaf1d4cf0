import { isDeepStrictEqual } from 'node:util';
import { plainKeywords } from './plain-keywords.ts';
import {
  hasReference,
  isRecord,
  type JsonSchema,
  jsonTypes,
  lose,
  type Place,
  type SchemaLoss,
  type SchemaWalk,
  shown,
} from './schema-walk.ts';

interface GrammarSchema {
  /** The original schema if nothing had to change. */
  readonly schema: JsonSchema;
  readonly losses: readonly SchemaLoss[];
}

/**
 * Number of schemas, counted with references expanded, that are left for the request. Each call of `toGrammarSchema`
 * subtracts the schemas that it copied.
 */
interface SchemaBudget {
  nodes: number;
}

const maxNodes = 2000;
const maxDepth = 64;
const maxCharacters = 64 * 1024;
const maxAlternatives = 100;
const maxOptionalProperties = 200;
/** Each walk cuts recursions, and a cut may expose another recursion. */
const maxWalks = 8;

class TooLargeError extends Error {}

/**
 * Copies a schema into a form that the engine can turn into a grammar in bounded time and memory. The copy allows the
 * same values or more, never fewer. A schema that is too large becomes `{"type": "object"}`.
 *
 * `losses` lists the dropped constraints:
 * - the schema `false`;
 * - references to other documents, to missing targets, or in a cycle that is endless or makes a value ambiguous;
 * - patterns, counts, lists and ranges that the engine rejects or takes minutes for.
 *
 * Equivalent changes are not listed: `true` becomes `{}`, and unused definitions are removed.
 *
 * @param budget Shared by all schemas of the request.
 */
export function toGrammarSchema(schema: JsonSchema, budget: SchemaBudget): GrammarSchema {
  const cuts = new Set<JsonSchema>();
  const most = Math.min(maxNodes, budget.nodes);
  for (let round = 0; round < maxWalks; round += 1) {
    const left = { nodes: most };
    const cutsBefore = cuts.size;
    const copy = copyOf(schema, left, cuts);
    if (copy === undefined) break;
    if (cuts.size > cutsBefore) continue;
    budget.nodes -= most - left.nodes;
    return copy;
  }
  const limit = `${maxNodes} schemas with all references written out, ${maxDepth} levels, ${maxCharacters} characters`;
  return {
    schema: { type: 'object' },
    losses: [{ pointer: '#', reason: `is too large: the most is ${limit}` }],
  };
}

/** Undefined if the schema is too large. */
function copyOf(
  root: JsonSchema,
  budget: SchemaBudget,
  cuts: Set<JsonSchema>,
): GrammarSchema | undefined {
  const losses: SchemaLoss[] = [];
  const definitions: SchemaWalk['definitions'] = new Map();
  const walk = { root, budget, cuts, losses, definitions, followed: new Map(), repetitions: 0 };
  try {
    const body = walkSchema(root, { pointer: '#', depth: 0, opened: 0, choices: 0 }, walk);
    const named = [...definitions.values()].map((one) => [one.name, one.body] as const);
    const copy = named.length === 0 ? body : { ...body, $defs: Object.fromEntries(named) };
    if (JSON.stringify(copy).length > maxCharacters) return undefined;
    return { schema: isDeepStrictEqual(copy, root) ? root : copy, losses };
  } catch (error) {
    if (error instanceof TooLargeError) return undefined;
    throw error;
  }
}

function walkSchema(schema: unknown, place: Place, walk: SchemaWalk): JsonSchema {
  walk.budget.nodes -= 1;
  if (walk.budget.nodes < 0 || place.depth > maxDepth) throw new TooLargeError();
  if (schema === true) return {};
  if (!isRecord(schema)) {
    lose(walk, place, schema === false ? 'allows nothing (`false`)' : 'is not a schema');
    return {};
  }
  const plain = plainKeywords(schema, place, walk);
  if ('$ref' in schema) return { ...plain, ...walkReference(schema, place, walk) };
  return {
    ...plain,
    ...walkAlternatives('anyOf', schema, place, walk),
    ...walkAlternatives('oneOf', schema, place, walk),
    ...walkAlternatives('allOf', schema, place, walk),
    ...walkProperties(schema, place, walk),
    ...walkItems(schema, place, walk),
  };
}

function walkReference(schema: JsonSchema, place: Place, walk: SchemaWalk): JsonSchema {
  const { $ref: reference } = schema;
  const target = resolveJsonPointer(walk.root, reference);
  if (!isRecord(target)) {
    lose(walk, place, `refers to ${shown(reference)}, which is not a schema inside it`);
    return {};
  }
  const entered = walk.followed.get(target);
  const isPlain =
    entered === undefined || (place.opened > entered.opened && place.choices === entered.choices);
  if (!isPlain) walk.cuts.add(schema);
  if (walk.cuts.has(schema)) {
    const why = 'in a circle that has no end or several ways to continue';
    lose(walk, place, `refers to ${shown(reference)} ${why}`);
    return {};
  }
  let definition = walk.definitions.get(target);
  const isFirst = definition === undefined;
  definition ??= { name: definitionName(String(reference), walk), body: {} };
  walk.definitions.set(target, definition);
  if (entered === undefined) {
    walk.followed.set(target, place);
    // The target is copied once, but walked for each reference, since each one may make values more ambiguous.
    const body = walkSchema(target, { ...place, depth: place.depth + 1 }, walk);
    walk.followed.delete(target);
    if (isFirst) definition.body = body;
  }
  return { $ref: `#/$defs/${definition.name}` };
}

/** The last name in the reference, since the model reads it. Without punctuation, which the engine ignores in names. */
function definitionName(reference: string, { definitions }: SchemaWalk): string {
  const taken = new Set([...definitions.values()].map(({ name }) => name));
  const words = reference.slice(reference.lastIndexOf('/') + 1).match(/[A-Za-z0-9]+/gu);
  const name = (words ?? ['schema']).join('_').slice(0, 64);
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

function walkAlternatives(
  list: 'anyOf' | 'oneOf' | 'allOf',
  schema: JsonSchema,
  place: Place,
  walk: SchemaWalk,
): JsonSchema {
  const branches = schema[list];
  if (branches === undefined) return {};
  if (!Array.isArray(branches) || branches.length === 0 || branches.length > maxAlternatives) {
    lose(walk, place, `has an \`${list}\` of none or more than ${maxAlternatives} schemas`);
    return {};
  }
  const beginnings = branches.map((branch) => [...valueBeginnings(branch, walk)]);
  const begunBy = (one: string): number =>
    beginnings.filter((some) => some.some((other) => other === one)).length;
  const isShared = { object: begunBy('object') > 1, array: begunBy('array') > 1 };
  const walked = branches.map((branch, index) => {
    const isChoice = list === 'allOf' || beginnings[index]?.some((one) => isShared[one]) === true;
    const pointer = `${place.pointer}/${list}/${index}`;
    const choices = place.choices + (isChoice && branches.length > 1 ? 1 : 0);
    return walkSchema(branch, { ...place, pointer, depth: place.depth + 1, choices }, walk);
  });
  return { [list]: walked };
}

function walkProperties(schema: JsonSchema, place: Place, walk: SchemaWalk): JsonSchema {
  const { properties = {}, required, additionalProperties: additional } = schema;
  if (!isRecord(properties)) {
    lose(walk, place, 'has `properties` that are not an object');
    return {};
  }
  const names = Object.keys(properties);
  const needed = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [];
  const neededNames = new Set(needed);
  const optionalCount = names.filter((name) => !neededNames.has(name)).length;
  if (optionalCount > maxOptionalProperties) {
    lose(walk, place, `has more than ${maxOptionalProperties} optional properties`);
    return {};
  }
  const isOpen = additional === true || isRecord(additional);
  if (isOpen && names.some((name) => /["\\[\]^]/u.test(name))) {
    lose(walk, place, 'has `additionalProperties` beside a name with a quote, bracket, ^ or \\');
    return {};
  }
  const entries = Object.entries(properties).map(
    ([name, property]) => [name, within(property, `properties/${name}`, place, walk)] as const,
  );
  return {
    ...(schema['properties'] === undefined ? {} : { properties: Object.fromEntries(entries) }),
    ...(required === undefined ? {} : { required: needed }),
    ...(typeof additional === 'boolean' ? { additionalProperties: additional } : {}),
    ...(isRecord(additional)
      ? { additionalProperties: within(additional, 'additionalProperties', place, walk) }
      : {}),
  };
}

function walkItems(schema: JsonSchema, place: Place, walk: SchemaWalk): JsonSchema {
  const { items, prefixItems } = schema;
  if (items === true) return {};
  if (items === false && prefixItems === undefined) {
    lose(walk, place, 'has `items` that allow nothing (`false`)');
    return {};
  }
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries({ items, prefixItems })) {
    if (Array.isArray(value)) {
      result[key] = value.map((item, index) => within(item, `${key}/${index}`, place, walk));
    } else if (isRecord(value)) {
      result[key] = within(value, key, place, walk);
    }
  }
  return result;
}

/** Copies a schema inside an object or an array. */
function within(schema: unknown, step: string, place: Place, walk: SchemaWalk): JsonSchema {
  const { pointer, depth, opened, choices } = place;
  const there = { pointer: `${pointer}/${step}`, depth: depth + 1, opened: opened + 1, choices };
  return walkSchema(schema, there, walk);
}

export type Beginning = 'object' | 'array';

const both: ReadonlySet<Beginning> = new Set(['object', 'array']);
const neither: ReadonlySet<Beginning> = new Set();
const maxReferences = 8;

/** Tells whether the copied schema allows objects and arrays. A cut reference allows both. May overestimate. */
function valueBeginnings(
  schema: unknown,
  walk: Pick<SchemaWalk, 'root' | 'cuts'>,
  depth = 0,
): ReadonlySet<Beginning> {
  if (!isRecord(schema) || depth > maxReferences) return both;
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

/** Resolves a `$ref` within the document; undefined if the target is missing or in another document. */
export function resolveJsonPointer(root: unknown, reference: unknown): unknown {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let target = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeStep(step);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    target = (target as Readonly<Record<string, unknown>>)[key];
  }
  return target;
}

function decodeStep(step: string): string {
  const unescaped = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

import * as z from 'zod';

export type JsonObject = { [name: string]: unknown };

/** Direction of a schema: requests of clients, or responses of the server. */
export type Direction = 'input' | 'output';

/**
 * Collects the named schemas of a document (`components.schemas`). A zod schema is named by `.meta({ id })`;
 * OpenAPI 3.1 uses JSON Schema 2020-12.
 */
export class ComponentSchemas {
  readonly #components = new Map<string, JsonObject>();

  /** The schema, or a reference to it if it is named. */
  toSchema(schema: z.ZodType, direction: Direction): JsonObject {
    const {
      $schema: _,
      $defs,
      id,
      ...root
    } = z.toJSONSchema(schema, {
      io: direction,
      override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema, direction),
    }) as JsonObject & { $defs?: Record<string, JsonObject>; id?: string };
    for (const [name, { id: _id, ...definition }] of Object.entries($defs ?? {})) {
      this.#add(name, definition);
    }
    if (id === undefined) return toComponentReferences(root) as JsonObject;
    this.#add(id, root);
    return { $ref: `#/components/schemas/${id}` };
  }

  /** All schemas so far, by name in alphabetical order. */
  all(): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, definition: JsonObject): void {
    const component = toComponentReferences(definition) as JsonObject;
    const other = this.#components.get(name);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(component)) {
      throw new TypeError(`Two schemas have the id ${name}.`);
    }
    this.#components.set(name, component);
  }
}

/** Finds the examples of a schema from `.meta({ examples })`. A union without examples uses its first branch's. */
export function examplesOf(schema: z.ZodType): readonly unknown[] {
  const examples = schema.meta()?.['examples'];
  if (Array.isArray(examples)) return examples;
  if (schema instanceof z.ZodOptional) return examplesOf(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodUnion)) return [];
  return schema.options.flatMap((option) => examplesOf(option as z.ZodType)).slice(0, 1);
}

function adapt({ _zod: { def } }: z.core.$ZodTypes, json: JsonObject, direction: Direction): void {
  // Clients must accept new fields in responses.
  if (direction === 'output' && def.type === 'object' && def.catchall === undefined) {
    delete json['additionalProperties'];
  }
  if (def.type === 'union' && 'discriminator' in def) {
    const discriminator = toDiscriminator(def as z.core.$ZodDiscriminatedUnionDef, json);
    if (discriminator !== undefined) json['discriminator'] = discriminator;
  }
  if (json['type'] === 'integer') adaptInteger(json);
  delete json['anySize'];
  // The pattern only repeats the date's format, in hundreds of characters.
  if (json['format'] === 'date-time') delete json['pattern'];
  // zod's check is not a format of JSON Schema; the pattern expresses it.
  if (json['format'] === 'starts_with') delete json['format'];
  // The keys of JSON objects are strings anyway.
  const keys = json['propertyNames'] as JsonObject | undefined;
  if (keys?.['type'] === 'string' && Object.keys(keys).length === 1) delete json['propertyNames'];
}

/** Maps each value of the discriminator to its component, if all branches are components. */
function toDiscriminator(def: z.core.$ZodDiscriminatedUnionDef, json: JsonObject) {
  const branches = (json['oneOf'] ?? json['anyOf'] ?? []) as readonly JsonObject[];
  const mapping = new Map<string, string>();
  for (const [
    index,
    {
      _zod: { propValues },
    },
  ] of def.options.entries()) {
    const reference = branches[index]?.['$ref'];
    if (typeof reference !== 'string') return undefined;
    for (const value of propValues?.[def.discriminator] ?? []) {
      mapping.set(String(value), reference);
    }
  }
  return { propertyName: def.discriminator, mapping: Object.fromEntries(mapping) };
}

/** Replaces bounds that only say that an integer fits a double with a format that generators know. */
function adaptInteger(json: JsonObject): void {
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  const maximum = json['maximum'];
  const isLong = typeof maximum !== 'number' || maximum >= 2 ** 31;
  // `anySize` marks a schema that accepts more than 64 bits.
  if (isLong && json['anySize'] !== true) json['format'] = 'int64';
}

const definitionPrefix = '#/$defs/';

function toComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponentReferences);
  if (typeof value === 'string' && value.startsWith(definitionPrefix)) {
    return `#/components/schemas/${value.slice(definitionPrefix.length)}`;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toComponentReferences(item)]),
  );
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A constraint that was dropped from a schema, with the reason. */
export interface SchemaLoss {
  /** JSON pointer of the schema that had the constraint: `#/properties/a`. */
  readonly pointer: string;
  /** Ends the sentence "At `#/properties/a` it ...", so it begins with a verb. */
  readonly reason: string;
}

/** A position in a walk through a schema. */
export interface Place {
  readonly pointer: string;
  readonly depth: number;
  /** Number of enclosing objects and arrays. A reference that recurs at the same number is an endless recursion. */
  readonly opened: number;
  /** Number of ambiguous branches on the path to this place: another branch allows values that begin alike. */
  readonly choices: number;
}

export interface SchemaWalk {
  readonly root: JsonSchema;
  readonly budget: { nodes: number };
  /** References to cut. */
  readonly cuts: Set<JsonSchema>;
  readonly losses: SchemaLoss[];
  /** Copies of the references' targets. */
  readonly definitions: Map<JsonSchema, { readonly name: string; body: JsonSchema }>;
  /** Targets of the references on the path to the current place. */
  readonly followed: Map<JsonSchema, Place>;
  repetitions: number;
}

/** Valid values of `type`. */
export const jsonTypes: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

const maxPointerCharacters = 200;

export function lose({ losses }: SchemaWalk, { pointer }: Place, reason: string): void {
  losses.push({ pointer: pointer.slice(0, maxPointerCharacters), reason });
}

/** Formats a value for an error message. */
export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}

export function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if a value contains a `$ref` at any depth. */
export function hasReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  return (
    isRecord(value) && (Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference))
  );
}

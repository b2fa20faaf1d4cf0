export type JsonSchema = Readonly<Record<string, unknown>>;

/** A keyword that a schema had to lose, and why. */
export interface SchemaLoss {
  /** JSON pointer of the schema that had it: `#/properties/a`. */
  readonly pointer: string;
  /** Continues "At `#/properties/a` it "; a verb comes first. */
  readonly reason: string;
}

/** Where a walk through a schema is. */
export interface Place {
  readonly pointer: string;
  readonly depth: number;
  /** How many objects and arrays are open: none since the last time is a recursion without end. */
  readonly opened: number;
  /** How often there was another branch that begins alike. */
  readonly choices: number;
}

export interface SchemaWalk {
  readonly root: JsonSchema;
  readonly budget: { nodes: number };
  /** References that must not be followed. */
  readonly cuts: Set<JsonSchema>;
  readonly losses: SchemaLoss[];
  /** What references lead to, as it comes into the copy. */
  readonly definitions: Map<JsonSchema, { readonly name: string; body: JsonSchema }>;
  /** The targets of those references that lead to this place. */
  readonly followed: Map<JsonSchema, Place>;
  repetitions: number;
}

/** What `type` may name. */
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

/** A value as an error message shows it. */
export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}

export function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value has a `$ref` in it, at any depth. */
export function hasReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  return (
    isRecord(value) && (Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference))
  );
}

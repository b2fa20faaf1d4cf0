import { developerTexts } from '../../../texts/developer.ts';

const { invalid } = developerTexts.mcp;

type Json = Readonly<Record<string, unknown>>;

/** A form field derived from a JSON schema. */
export interface SchemaField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** Values of a select, as JSON. */
  readonly choices: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** Initial value of the field. */
  readonly initial: string;
}

/** Limits a schema from an untrusted server, which could slow down the page. */
const maxFields = 100;

/** Derives fields from an object schema. Values without a special kind of field are entered as JSON. */
export function fieldsOf(schema: Json): readonly SchemaField[] {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return Object.entries(asObject(schema['properties']))
    .slice(0, maxFields)
    .map(([name, property]) => fieldOf(name, asObject(property), required.has(name)));
}

function fieldOf(name: string, property: Json, isRequired: boolean): SchemaField {
  const choices = Array.isArray(property['enum']) ? property['enum'] : [];
  const kind = choices.length > 0 ? 'choice' : kindOf(property['type']);
  const initial = property['default'];
  return {
    name,
    kind,
    title: textOf(property['title']) ?? name,
    description: textOf(property['description']),
    isRequired,
    choices: choices.map((choice) => JSON.stringify(choice)),
    minimum: numberOf(property['minimum']),
    maximum: numberOf(property['maximum']),
    initial:
      initial === undefined
        ? ''
        : kind === 'text' && typeof initial === 'string'
          ? initial
          : JSON.stringify(initial),
  };
}

function kindOf(type: unknown): SchemaField['kind'] {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null');
  const [only] = types;
  if (types.length !== 1) return 'json';
  if (only === 'string') return 'text';
  return only === 'number' || only === 'integer' || only === 'boolean' ? only : 'json';
}

export interface FormResult {
  readonly values: Json;
  /** Errors by field name. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Converts the entered texts to arguments. Optional empty fields are left out. */
export function toArguments(
  fields: readonly SchemaField[],
  entered: ReadonlyMap<string, string>,
): FormResult {
  const values: [string, unknown][] = [];
  const errors: [string, string][] = [];
  for (const field of fields) {
    const text = entered.get(field.name) ?? field.initial;
    if (text === '') {
      if (field.isRequired && field.kind === 'text') values.push([field.name, '']);
      else if (field.isRequired) errors.push([field.name, invalid.required]);
      continue;
    }
    const read = readField(field, text);
    if ('error' in read) errors.push([field.name, read.error]);
    else values.push([field.name, read.value]);
  }
  // `fromEntries` is safe for a field named `__proto__`, since it defines properties.
  return { values: Object.fromEntries(values), errors: Object.fromEntries(errors) };
}

function readField(field: SchemaField, text: string): { value: unknown } | { error: string } {
  if (field.kind === 'text') return { value: text };
  if (field.kind === 'number' || field.kind === 'integer') return readNumber(field, text);
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { error: invalid.json };
  }
}

function readNumber({ kind, minimum, maximum }: SchemaField, text: string) {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: invalid.number };
  if (kind === 'integer' && !Number.isInteger(value)) return { error: invalid.integer };
  if (minimum !== undefined && value < minimum)
    return { error: invalid.minimum({ limit: minimum }) };
  if (maximum !== undefined && value > maximum)
    return { error: invalid.maximum({ limit: maximum }) };
  return { value };
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

import * as z from 'zod';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { shorten, showValue } from './shown-value.ts';

type Path = readonly PropertyKey[];

/** An issue of a schema, at the deepest value that it concerns. */
export interface ValidationIssue {
  readonly issue: z.core.$ZodIssue;
  /** Path from the root of the validated value. */
  readonly path: Path;
  /** The invalid value; undefined if it is absent. */
  readonly value: unknown;
  /** True if the value's JSON type is wrong. */
  readonly isWrongType: boolean;
}

/**
 * Follows an issue into unions. If the value has the JSON type of a branch, returns the branch's issue; otherwise the
 * union's own issue.
 */
export function locateIssue(issue: z.core.$ZodIssue, root: unknown): ValidationIssue {
  return locate(issue, [], root);
}

function locate(issue: z.core.$ZodIssue, base: Path, root: unknown): ValidationIssue {
  const path = [...base, ...issue.path];
  const value = valueAt(root, path);
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) {
    return { issue, path, value, isWrongType: hasWrongType(issue, value) };
  }
  const branches = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((branch) => locate(branch, path, root));
  const isDeeper = (branch: ValidationIssue): boolean => branch.path.length > path.length;
  const matching =
    // An array that is too long for one branch may have items of the wrong type for another.
    branches.find((branch) => !branch.isWrongType && !isDeeper(branch)) ?? branches.find(isDeeper);
  return matching ?? { issue, path, value, isWrongType: true };
}

function hasWrongType(issue: z.core.$ZodIssue, value: unknown): boolean {
  if (issue.code === 'invalid_type') return true;
  if (issue.code !== 'invalid_value') return false;
  return !issue.values.some((allowed) => typeof allowed === typeof value);
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) {
      return undefined;
    }
    value = (value as Readonly<Record<PropertyKey, unknown>>)[segment];
  }
  return value;
}

/** Converts the first issue of a schema to an error that names the field, its value and the allowed values. */
export function toValidationError(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): HearthError {
  const [first] = issues;
  if (first === undefined) throw new TypeError('A failed validation has at least one issue.');
  const located = locateIssue(first, value);
  const { issue } = located;
  if (issue.code === 'unrecognized_keys') return unknownField(located, issue.keys, issue.message);
  return issue.code === 'invalid_key' ? invalidKey(located, issue) : invalidField(located);
}

function invalidKey(
  { path }: ValidationIssue,
  { issues }: z.core.$ZodIssueInvalidKey,
): HearthError {
  const [key = ''] = path.slice(-1);
  const requirement = issues.slice(0, 1).map(describeRequirement).join('');
  return invalidValue(
    toJsonPath(path),
    `${shorten(toJsonPath(path.slice(0, -1)))} has the key ${showValue(String(key))}; its keys must be ${requirement}.`,
  );
}

function invalidField({ issue, path, value, isWrongType }: ValidationIssue): HearthError {
  const name = path.length === 0 ? 'The request' : shorten(toJsonPath(path));
  const requirement =
    issue.message === '' ? `must be ${describeRequirement(issue)}` : issue.message;
  const param = path.length === 0 ? {} : { param: toJsonPath(path) };
  if (value === undefined) {
    return new HearthError(
      'missing_required_parameter',
      `${name} is required; it ${requirement}.`,
      param,
    );
  }
  return new HearthError(
    isWrongType ? 'invalid_type' : 'invalid_value',
    issue.message === ''
      ? `${name} ${requirement}, not ${showValue(value)}.`
      : `${name} is ${showValue(value)}. ${requirement}.`,
    param,
  );
}

function unknownField(
  { path }: ValidationIssue,
  keys: readonly string[],
  knownKeys: string,
): HearthError {
  const known = knownKeys.split(' ');
  const [key = ''] = keys;
  const meant = nearest(key, known);
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  const param = toJsonPath([...path, key]);
  return new HearthError(
    'unrecognized_keys',
    `${shorten(param)} is not a known field.${hint} Known are: ${known.join(', ')}.`,
    { param },
  );
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** A schema's requirement, as the end of a sentence after "must be". */
function describeRequirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return nouns[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return 'options' in issue
        ? oneOf(issue.options ?? [])
        : anyOf(issue.errors.flatMap((issues) => issues.slice(0, 1).map(describeRequirement)));
    case 'too_small':
      return bound('at least', issue.origin, issue.minimum, issue.inclusive === false);
    case 'too_big':
      return bound('at most', issue.origin, issue.maximum, issue.inclusive === false);
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    default:
      return 'valid';
  }
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function bound(
  relation: 'at least' | 'at most',
  origin: string,
  limit: number | bigint,
  isExclusive: boolean,
): string {
  if (isExclusive) return `${relation === 'at least' ? 'greater' : 'less'} than ${limit}`;
  const unit = units[origin];
  if (unit === undefined) return `${relation} ${limit}`;
  return `${relation} ${limit} ${unit}${limit === 1 ? '' : 's'} long`;
}

function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if ('prefix' in issue) return `a text that starts with ${JSON.stringify(issue['prefix'])}`;
  if (issue.pattern !== undefined && issue.format === 'regex') {
    return `a text of the form ${issue.pattern}`;
  }
  if (issue.format === 'datetime') return 'an ISO 8601 time such as "2027-01-31T12:00:00Z"';
  return issue.format === 'url' ? 'an http or https URL' : `a text of the form ${issue.format}`;
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value) ?? String(value));
  return shown.length === 1 ? shown.join('') : `one of ${shown.join(', ')}`;
}

function anyOf(requirements: readonly string[]): string {
  return [...new Set(requirements)].join(' or ');
}

const maxSegmentLength = 64;

/** `['messages', 0, 'content']` → `messages[0].content`. */
function toJsonPath(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      const key = String(segment);
      if (!/^[\w-]*$/.test(key)) return `[${JSON.stringify(key.slice(0, maxSegmentLength))}]`;
      return `${index === 0 ? '' : '.'}${key.slice(0, maxSegmentLength)}`;
    })
    .join('');
}

/** Each item of a long array may have an issue, and collecting all of them takes seconds. */
const firstIssueOnly: z.core.ParseContextInternal<z.core.$ZodIssue> = {
  error: messageOf,
  abortEarly: true,
};

/**
 * Validates a value and returns the output of its schema.
 *
 * @throws HearthError for the first issue.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value, firstIssueOnly);
  if (result.success) return result.data;
  throw toValidationError(result.error.issues, value);
}

/** Encodes the facts that `toValidationError` needs into the message, since only this function sees the schema. */
function messageOf({ code, inst }: z.core.$ZodRawIssue): string {
  if (code === 'unrecognized_keys' && inst instanceof z.ZodObject) {
    return Object.keys(inst.shape).join(' ');
  }
  // For an unsafe integer, the issue has the bound of safe integers, even if the schema has another one.
  if (code === 'too_big' && inst instanceof z.ZodNumber)
    return `It must be at most ${inst.maxValue}`;
  if (code === 'too_small' && inst instanceof z.ZodNumber)
    return `It must be at least ${inst.minValue}`;
  return '';
}

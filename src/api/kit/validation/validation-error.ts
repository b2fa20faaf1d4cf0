import type * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { describeRequirement } from './requirement.ts';
import { shorten, showValue } from './shown-value.ts';
import { locateIssue, type ValidationIssue } from './validation-issue.ts';

type Path = readonly PropertyKey[];

/** The first issue of a schema as an error that names the field, its value and what is allowed. */
export function toValidationError(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): HearthError {
  const [first] = issues;
  if (first === undefined) throw new TypeError('A failed validation has at least one issue.');
  const located = locateIssue(first, value);
  const { issue } = located;
  return issue.code === 'unrecognized_keys'
    ? unknownField(located, issue.keys, issue.message)
    : invalidField(located);
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

import type * as z from 'zod';

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
export function describeRequirement(issue: z.core.$ZodIssue): string {
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
    case 'invalid_key':
      return `an object whose keys are ${issue.issues.slice(0, 1).map(describeRequirement).join('')}`;
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

import { priorities } from '../../kernel/concurrency/fair-queue.ts';
import { type Permission, permissionSchema } from '../../kernel/permission.ts';
import type { OptionDeclaration, OptionValues } from '../command.ts';
import { UsageError } from '../failure.ts';
import { choice, choiceList, integer } from '../option.ts';

const permissionNames = permissionSchema.options;

export function permissionsOption(remark = ''): OptionDeclaration<readonly Permission[]> {
  const summary = `Comma-separated permissions: ${permissionNames.join(', ')}${remark}`;
  return choiceList('--permissions <list>', summary, permissionNames);
}

/**
 * Option for an integer or the word for no bound. The parsed value is `none` instead of null, which the argument parser
 * takes for a missing value.
 */
function bound(
  flags: string,
  summary: string,
  maximum: number,
  word: string,
): OptionDeclaration<number | 'none'> {
  const number = integer(flags, summary, 1, maximum);
  return {
    flags,
    summary,
    parse: (value) => (value === word ? 'none' : (number.parse?.(value, undefined) ?? 'none')),
  };
}

function limit(flags: string, what: string, maximum: number, setting: string) {
  return bound(
    flags,
    `Maximum number of ${what}, or "default" (limits.${setting})`,
    maximum,
    'default',
  );
}

const most = 1_000_000_000;
const tokens = 'tokens of prompts and answers';
const models: OptionDeclaration<readonly string[] | 'all'> = {
  flags: '--models <list>',
  summary:
    'Comma-separated keys of the models that the token may use, with * for any characters, or "all"',
  parse: parseModels,
};

/** Options for the bounds of a token. */
export const boundOptions = {
  expiresInDays: bound(
    '--expires-in-days <days>',
    'Days until the token expires, or "never"',
    36_500,
    'never',
  ),
  models,
  priority: choice(
    '--priority <class>',
    'Whose requests come first if several wait for a model',
    priorities,
  ),
  requestsPerMinute: limit(
    '--requests-per-minute <count>',
    'generating requests per minute',
    most,
    'requestsPerMinute',
  ),
  tokensPerMinute: limit(
    '--tokens-per-minute <count>',
    `${tokens} per minute`,
    most,
    'tokensPerMinute',
  ),
  requestsPerDay: limit(
    '--requests-per-day <count>',
    'generating requests per day (UTC)',
    most,
    'requestsPerDay',
  ),
  tokensPerDay: limit(
    '--tokens-per-day <count>',
    `${tokens} per day (UTC)`,
    1000 * most,
    'tokensPerDay',
  ),
};

/** Converts the options: undefined if an option is missing, null to remove a bound. */
export function toBounds({
  expiresInDays,
  models: list,
  priority,
  ...limits
}: OptionValues<typeof boundOptions>) {
  const days = orNull(expiresInDays);
  return {
    expiresAt: typeof days === 'number' ? new Date(Date.now() + days * dayMs) : days,
    modelScope: list === 'all' ? null : list,
    priority,
    rateLimits: {
      requestsPerMinute: orNull(limits.requestsPerMinute),
      tokensPerMinute: orNull(limits.tokensPerMinute),
      requestsPerDay: orNull(limits.requestsPerDay),
      tokensPerDay: orNull(limits.tokensPerDay),
    },
  };
}

const dayMs = 24 * 3600 * 1000;

function orNull(value: number | 'none' | undefined): number | null | undefined {
  return value === 'none' ? null : value;
}

/** @throws UsageError */
function parseModels(list: string): readonly string[] | 'all' {
  if (list === 'all') return list;
  const patterns = list.split(',').map((pattern) => pattern.trim());
  const isSound = patterns.every((pattern) => pattern !== '' && pattern.length <= 256);
  if (isSound && patterns.length <= 100) return patterns;
  throw new UsageError('Allowed: up to 100 keys of models and patterns such as qwen/*, or "all".');
}

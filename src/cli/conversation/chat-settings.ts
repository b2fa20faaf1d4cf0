import type * as z from 'zod';
import { chatRequestSchema, type ChatRequest } from '../../api/v1/chat/chat-schema.ts';
import { UsageError } from '../failure.ts';

/** Settings for `/set`, by the names that the user types. */
const settable = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  min_p: 'min_p',
  repeat_penalty: 'repeat_penalty',
  max_tokens: 'max_output_tokens',
  context_length: 'context_length',
  reasoning: 'reasoning',
} as const satisfies Record<string, keyof ChatRequest>;

type SettableKey = (typeof settable)[keyof typeof settable];
export type SettableValues = Partial<Pick<ChatRequest, SettableKey>>;

/**
 * Parses `NAME VALUE`; `default` removes the setting.
 *
 * @throws UsageError, which lists the names or the allowed values.
 */
export function parseSetting(argument: string): SettableValues {
  const [name = '', ...words] = argument.trim().split(/\s+/);
  const key = Object.entries(settable).find(([each]) => each === name)?.[1];
  const text = words.join(' ');
  if (key === undefined || text === '') {
    throw new UsageError(`Usage: /set NAME VALUE. Names: ${Object.keys(settable).join(', ')}.`);
  }
  if (text === 'default') return { [key]: undefined };
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text));
  const parsed = chatRequestSchema.shape[key].safeParse(isNumber ? Number(text) : text);
  if (parsed.success) return { [key]: parsed.data };
  const [issue] = parsed.error.issues;
  throw new UsageError(`${name}: ${text} is not allowed. ${describeAllowed(issue)}`);
}

/** The allowed values, as a sentence. */
function describeAllowed(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'too_big') return `It must be at most ${issue.maximum}.`;
  if (issue?.code === 'too_small') return `It must be at least ${issue.minimum}.`;
  if (issue?.code === 'invalid_value') return `It must be one of ${issue.values.join(', ')}.`;
  if (issue?.code !== 'invalid_type') return `${issue?.message ?? ''}.`;
  return `It must be ${issue.expected === 'int' ? 'a whole number' : `a ${issue.expected}`}.`;
}

/** The settings that differ from their defaults, as `name value`. */
export function describeSettings(values: SettableValues): readonly string[] {
  return Object.entries(settable).flatMap(([name, key]) => {
    const value = values[key];
    return value === undefined || value === null ? [] : [`${name} ${value}`];
  });
}

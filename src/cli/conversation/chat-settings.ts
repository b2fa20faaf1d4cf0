import { chatRequestSchema, type ChatRequest } from '../../contract/v1/chat.ts';
import { UsageError } from '../failure.ts';

/** The settings that `/set` changes, by the name that the user types. */
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
  throw new UsageError(`${name}: ${parsed.error.issues[0]?.message ?? 'not allowed'}.`);
}

/** The settings that are not the default, one `name value` each. */
export function describeSettings(values: SettableValues): readonly string[] {
  return Object.entries(settable).flatMap(([name, key]) => {
    const value = values[key];
    return value === undefined || value === null ? [] : [`${name} ${value}`];
  });
}

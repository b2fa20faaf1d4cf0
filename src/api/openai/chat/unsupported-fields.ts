import { invalidValue } from '../../../kernel/errors/errors.ts';

/** A field that this server can't honor. */
export interface UnsupportedField {
  readonly name: string;
  /** Completes the sentence "`field` ...". */
  readonly reason: string;
  /** True for values that would not change the answer; null and absent are always harmless. */
  readonly isHarmless?: (value: unknown) => boolean;
}

/**
 * Refuses a request if a field would change the answer and can't be honored.
 *
 * @throws HearthError `invalid_value` with the name of the field.
 */
export function assertSupported(
  body: Readonly<Record<string, unknown>>,
  fields: readonly UnsupportedField[],
): void {
  for (const { name, reason, isHarmless = () => false } of fields) {
    const value = body[name];
    if (value === undefined || value === null || isHarmless(value)) continue;
    throw invalidValue(name, `\`${name}\` ${reason} Leave it out.`);
  }
}

export const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
export const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Fields of OpenAI's chat completions that Hearth does not support. */
export const unsupportedChatFields: readonly UnsupportedField[] = [
  { name: 'audio', reason: 'asks for speech, which this server does not generate.' },
  {
    name: 'modalities',
    reason: 'must be ["text"]: this server generates text only.',
    isHarmless: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
  },
  { name: 'functions', reason: 'was replaced by `tools`.', isHarmless: isEmptyList },
  { name: 'function_call', reason: 'was replaced by `tool_choice`.' },
  { name: 'web_search_options', reason: 'needs a web search, which this server does not have.' },
  { name: 'best_of', reason: 'is not supported.', isHarmless: is(1) },
  { name: 'verbosity', reason: 'must be "medium".', isHarmless: is('medium') },
];

const withoutEffect = {
  false: is(false),
  none: isEmptyList,
  zero: is(0),
  one: is(1),
  minusOne: is(-1),
  never: () => false,
};

/** Sampling fields of vLLM and llama.cpp that Hearth does not support. */
export const unsupportedSamplingFields: readonly UnsupportedField[] = (
  [
    ['ignore_eos', 'false'],
    ['min_tokens', 'zero'],
    ['stop_token_ids', 'none'],
    ['include_stop_str_in_output', 'false'],
    ['allowed_token_ids', 'none'],
    ['bad_words', 'none'],
    ['prompt_logprobs', 'never'],
    ['truncate_prompt_tokens', 'minusOne'],
    ['use_beam_search', 'false'],
    ['prompt_embeds', 'never'],
    ['lora', 'none'],
    ['mirostat', 'zero'],
    ['typical_p', 'one'],
    ['dynatemp_range', 'zero'],
    ['xtc_probability', 'zero'],
    ['dry_multiplier', 'zero'],
    ['top_n_sigma', 'minusOne'],
  ] as const
).map(([name, harmless]) => ({
  name,
  reason: 'is not supported.',
  isHarmless: withoutEffect[harmless],
}));

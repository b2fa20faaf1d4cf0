import { reasoningOfEffort } from '../../chat/reasoning.ts';
import type { GenerationOptions } from '../../chat/turn-request.ts';
import type { OllamaChatRequest } from './chat-schema.ts';
import type { OllamaOptions } from './fields-schema.ts';
import type { ReasoningLevel, ResponseFormat } from '../../engines/engine.ts';
import { foldSeed } from '../../engines/fold-seed.ts';
import type { ModelEntry } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { assertSupported, is, type UnsupportedField } from '../openai/chat/unsupported-fields.ts';

/** Options that would change the answer. Options such as `num_gpu` are ignored instead: Hearth has settings for them. */
const unsupportedOptions: readonly UnsupportedField[] = [
  { name: 'mirostat', reason: 'selects a sampler that is not supported.', isHarmless: is(0) },
  { name: 'typical_p', reason: 'is not supported.', isHarmless: is(1) },
  { name: 'tfs_z', reason: 'is not supported.', isHarmless: is(1) },
];

/** Request fields that chat and generate share. */
type GenerationFields = Pick<OllamaChatRequest, 'options' | 'logprobs' | 'top_logprobs'>;

/** @throws HearthError `invalid_value` for options that can't be honored. */
export function toGenerationOptions({
  options,
  logprobs,
  top_logprobs: topLogprobs,
}: GenerationFields): GenerationOptions {
  assertGenerationOptions(options);
  const stop = [options?.stop ?? []].flat().filter((text) => text !== '');
  return {
    sampling: toSampling(options),
    stop,
    ...omitUndefined({
      maxOutputTokens: toMaxTokens(options?.num_predict),
      topLogprobs: logprobs === true ? (topLogprobs ?? 0) : undefined,
    }),
  };
}

export function toSampling(options: OllamaOptions): GenerationOptions['sampling'] {
  return omitUndefined({
    temperature: options?.temperature,
    topP: options?.top_p,
    topK: options?.top_k,
    minP: options?.min_p,
    repeatPenalty: options?.repeat_penalty,
    repeatLastTokens: options?.repeat_last_n,
    presencePenalty: options?.presence_penalty,
    frequencyPenalty: options?.frequency_penalty,
    seed: options?.seed == null ? undefined : foldSeed(options.seed),
  });
}

/** @throws HearthError `invalid_value` for options that can't be honored. */
export function assertGenerationOptions(
  options: Readonly<Record<string, unknown>> | null = {},
): void {
  assertSupported(options ?? {}, unsupportedOptions);
}

/**
 * Converts `num_predict`. A negative count means no limit, even if the settings of the model have one. 0 becomes 1, as
 * the engine treats it.
 */
export function toMaxTokens(count: number | null | undefined): number | undefined {
  if (count == null) return undefined;
  return count < 0 ? noLimit : Math.max(1, count);
}

/** The largest number that the engine accepts, a 32-bit integer. */
const noLimit = 2 ** 31 - 1;

/** Converts `num_ctx`, limited to the model's trained context. */
export function toContextLength(
  options: OllamaOptions,
  model: ModelEntry,
): { readonly contextLength?: number } {
  const wanted = options?.num_ctx;
  return wanted == null ? {} : { contextLength: Math.min(wanted, model.maxContextLength) };
}

/** Converts `think` to a reasoning level. `think: false` becomes undefined for a model that can't reason. */
export function toReasoning(
  think: OllamaChatRequest['think'],
  model: ModelEntry,
): ReasoningLevel | undefined {
  if (think == null) return undefined;
  if (think === false) return reasoningOfEffort(model, 'none');
  if (think === true) {
    const { reasoning } = model;
    const isOnByDefault = reasoning !== null && reasoning.default !== 'off';
    return isOnByDefault ? reasoning.default : reasoningOfEffort(model, 'medium');
  }
  return reasoningOfEffort(model, think === 'max' ? 'xhigh' : think);
}

export function toResponseFormat(format: OllamaChatRequest['format']): ResponseFormat | undefined {
  if (format == null || format === '') return undefined;
  return format === 'json' ? { type: 'json_object' } : { type: 'json_schema', schema: format };
}

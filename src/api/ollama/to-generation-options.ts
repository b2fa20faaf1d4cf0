import { reasoningOfEffort } from '../../chat/reasoning.ts';
import type { GenerationOptions } from '../../chat/turn-request.ts';
import type { OllamaChatRequest } from './chat-schema.ts';
import type { OllamaOptions } from './fields-schema.ts';
import type { ReasoningLevel, ResponseFormat } from '../../engines/engine.ts';
import { foldSeed } from '../../engines/fold-seed.ts';
import type { ModelEntry } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { assertSupported, is, type UnsupportedField } from '../openai/chat/unsupported-fields.ts';

/** Options that change the answer; others, such as `num_gpu`, are settings of the server. */
const unsupportedOptions: readonly UnsupportedField[] = [
  { name: 'mirostat', reason: 'selects a sampler that is not supported.', isHarmless: is(0) },
  { name: 'typical_p', reason: 'is not supported.', isHarmless: is(1) },
  { name: 'tfs_z', reason: 'is not supported.', isHarmless: is(1) },
];

/** The fields of a request that chat and generate share. */
type GenerationFields = Pick<OllamaChatRequest, 'options' | 'logprobs' | 'top_logprobs'>;

/** @throws HearthError `invalid_value` for options that can't be honoured. */
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

/** @throws HearthError `invalid_value` for options that can't be honoured. */
export function assertGenerationOptions(
  options: Readonly<Record<string, unknown>> | null = {},
): void {
  assertSupported(options ?? {}, unsupportedOptions);
}

/** A negative count lifts the limit, also the limit in the settings of the model. The engine treats 0 as 1. */
export function toMaxTokens(count: number | null | undefined): number | undefined {
  if (count == null) return undefined;
  return count < 0 ? noLimit : Math.max(1, count);
}

/** The engine reads an integer of 32 bits. */
const noLimit = 2 ** 31 - 1;

/** `num_ctx`, limited to the context that the model was trained for. */
export function toContextLength(
  options: OllamaOptions,
  model: ModelEntry,
): { readonly contextLength?: number } {
  const wanted = options?.num_ctx;
  return wanted == null ? {} : { contextLength: Math.min(wanted, model.maxContextLength) };
}

/** A reasoning setting of the model; `think: false` is undefined for a model that does not reason. */
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

import type * as z from 'zod';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { GenerationOptions, InstanceOptions } from '../../../chat/turn-request.ts';
import type { v0GenerationFields } from './sampling-schema.ts';
import type { Sampling } from '../../../engines/engine.ts';
import { foldSeed } from '../../../engines/fold-seed.ts';
import { assertSupported, unsupportedSamplingFields } from './unsupported-fields.ts';

/** The fields that chat and text completions share. Only chats have the newer name of the token limit. */
type CompletionBody = z.output<z.ZodObject<typeof v0GenerationFields>> & {
  readonly max_completion_tokens?: number | null | undefined;
};

/**
 * Converts the fields for model, sampling and limits, which chat and text completions share.
 *
 * @throws HearthError `invalid_value` for fields that can't be honored.
 */
export function toGenerationOptions(body: CompletionBody): GenerationOptions & InstanceOptions {
  assertSupported(body, unsupportedSamplingFields);
  // An empty stop string would end every answer before it began.
  const stop = [body.stop ?? []].flat().filter((text) => text !== '');
  return {
    model: body.model ?? undefined,
    sampling: toSampling(body),
    stop,
    waitsForLoad: body.stream === true,
    ...(body.stream === true ? {} : { isWhole: true }),
    ...omitUndefined({ ttlSeconds: body.ttl, maxOutputTokens: toMaxTokens(body) }),
  };
}

/** Undefined for no limit; then the model decides when to stop. */
function toMaxTokens(body: CompletionBody): number | undefined {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return maxTokens === null || maxTokens === -1 ? undefined : maxTokens;
}

function toSampling(body: CompletionBody): Sampling {
  return omitUndefined({
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k === -1 ? 0 : body.top_k,
    minP: body.min_p,
    repeatPenalty: body.repeat_penalty ?? body.repetition_penalty,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    seed: body.seed == null ? undefined : foldSeed(body.seed),
    logitBias: body.logit_bias,
  });
}

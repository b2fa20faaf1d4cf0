import { omitUndefined } from '../../../omit-undefined.ts';
import type { GenerationOptions, InstanceOptions } from '../../../chat/turn-request.ts';
import type { V0ChatRequest } from '../../../contract/v0/chat-completion.ts';
import type { V0CompletionRequest } from '../../../contract/v0/text-completion.ts';
import type { Sampling } from '../../../engine/engine.ts';

type V0Request = V0ChatRequest | V0CompletionRequest;

/** The fields for model, sampling and limits, which both kinds of completion have. */
export function toGenerationOptions(body: V0Request): GenerationOptions & InstanceOptions {
  // An empty stop string would end every answer before it began.
  const stop = [body.stop ?? []].flat().filter((text) => text !== '');
  return {
    model: body.model ?? undefined,
    sampling: toSampling(body),
    stop,
    waitsForLoad: false,
    ...omitUndefined({ ttlSeconds: body.ttl, maxOutputTokens: toMaxTokens(body) }),
  };
}

/** Undefined: no limit; the model stops by itself. */
function toMaxTokens(body: V0Request): number | undefined {
  const newer = 'max_completion_tokens' in body ? body.max_completion_tokens : undefined;
  const maxTokens = (newer as number | null | undefined) ?? body.max_tokens;
  return maxTokens === null || maxTokens === -1 ? undefined : maxTokens;
}

function toSampling(body: V0Request): Sampling {
  return omitUndefined({
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    minP: body.min_p,
    repeatPenalty: body.repeat_penalty,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    seed: body.seed,
    logitBias: body.logit_bias,
  });
}

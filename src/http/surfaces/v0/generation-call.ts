import { omitUndefined } from '../../../omit-undefined.ts';
import type { V0ChatRequest } from '../../../contract/v0/chat-completion.ts';
import type { V0CompletionRequest } from '../../../contract/v0/text-completion.ts';
import type { GenerationCall } from '../../../chat/generation.ts';
import type { ModelTarget } from '../../../instances/acquire-request.ts';
import type { GenerationRequest, Sampling } from '../../../engine/engine.ts';

type V0Request = V0ChatRequest | V0CompletionRequest;

/** What both kinds of completion say about model, sampling and limits, in the engine's terms. */
export function toGenerationCall(
  body: V0Request,
  target: ModelTarget,
  specific: SpecificRequest,
): GenerationCall {
  // An empty stop string would end every answer before it began.
  const stop = [body.stop ?? []].flat().filter((text) => text !== '');
  return {
    target,
    ...omitUndefined({ ttlSeconds: body.ttl }),
    request: {
      ...specific,
      sampling: toSampling(body),
      ...omitUndefined({ maxTokens: toMaxTokens(body), stop }),
    },
  };
}

/** A generation request without what `toGenerationCall` adds. */
type SpecificRequest = GenerationRequest extends infer Request
  ? Request extends GenerationRequest
    ? Omit<Request, 'sampling' | 'maxTokens' | 'stop'>
    : never
  : never;

/** Undefined where the model is to go on until it stops. */
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

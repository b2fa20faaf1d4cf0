import type { GenerationRequest } from '../../engine.ts';

/** Fields of llama-server's native schema that its chat, completion and infill endpoints share. */
export interface GenerationFields {
  readonly stream: true;
  readonly cache_prompt: boolean;
  readonly return_progress: true;
  readonly [field: string]: unknown;
}

/**
 * Sampling fields of every kind of generation. Absent fields keep the engine's default, which for
 * sampling is the model's own (`general.sampling.*` of the GGUF) if it has one.
 */
export function generationFields(request: GenerationRequest): GenerationFields {
  const { sampling } = request;
  return {
    stream: true,
    cache_prompt: request.reusesSlot ?? true,
    return_progress: true,
    // JSON.stringify omits undefined fields.
    id_slot: request.slot,
    n_predict: request.maxTokens,
    stop: request.stop,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    repeat_penalty: sampling.repeatPenalty,
    repeat_last_n: sampling.repeatLastTokens,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
  };
}

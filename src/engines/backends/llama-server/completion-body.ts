import type { CompletionGeneration } from '../../engine.ts';
import { generationFields, type GenerationFields } from './sampling-fields.ts';

export interface CompletionCall {
  readonly path: '/completion' | '/infill';
  readonly body: GenerationFields;
}

/** A raw completion as llama-server's `/completion`, or as `/infill` if there is a suffix. */
export function completionCall(request: CompletionGeneration): CompletionCall {
  const fields = {
    ...generationFields(request),
    // Zero would switch them off; the decoder cuts the list to the requested length.
    n_probs: request.topLogprobs === undefined ? undefined : Math.max(1, request.topLogprobs),
    // Otherwise the last event repeats the prompt and all settings.
    response_fields: ['stop', 'stop_type', 'stopping_word', 'truncated', 'timings'],
  };
  if (request.suffix === undefined) {
    return { path: '/completion', body: { ...fields, prompt: request.prompt } };
  }
  return {
    path: '/infill',
    body: { ...fields, input_prefix: request.prompt, input_suffix: request.suffix },
  };
}

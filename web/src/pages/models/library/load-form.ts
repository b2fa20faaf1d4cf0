import type { LoadSettings } from '../../../../../src/api/v1/models/model-settings-schema.ts';
import type { LoadRequest } from '../../../../../src/api/v1/models/model-schema.ts';

/** Input of a person before a load; empty texts stand for the default. */
export interface LoadForm {
  readonly contextLength: number | undefined;
  readonly parallel: string;
  readonly batch: string;
  readonly ttlMinutes: string;
  readonly gpuLayers: string;
  readonly flashAttention: boolean | undefined;
  readonly isCacheOnGpu: boolean | undefined;
  readonly isForced: boolean;
}

export const emptyLoadForm: LoadForm = {
  contextLength: undefined,
  parallel: '',
  batch: '',
  ttlMinutes: '',
  gpuLayers: '',
  flashAttention: undefined,
  isCacheOnGpu: undefined,
  isForced: false,
};

/** The request of a load; settings that were not entered are absent, so that the defaults apply. */
export function toLoadRequest(model: string, form: LoadForm): LoadRequest {
  return { model, ...toLoadSettings(form), ...(form.isForced ? { force: true } : {}) };
}

/** The settings that were entered. */
export function toLoadSettings(form: LoadForm): LoadSettings {
  const parallel = wholeNumber(form.parallel);
  const batch = wholeNumber(form.batch);
  const ttl = wholeNumber(form.ttlMinutes);
  const gpuLayers = wholeNumber(form.gpuLayers, 0);
  return {
    ...(form.contextLength === undefined ? {} : { context_length: form.contextLength }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(batch === undefined ? {} : { eval_batch_size: batch }),
    ...(ttl === undefined ? {} : { ttl: ttl * 60 }),
    ...(gpuLayers === undefined ? {} : { gpu_layers: gpuLayers }),
    ...(form.flashAttention === undefined ? {} : { flash_attention: form.flashAttention }),
    ...(form.isCacheOnGpu === undefined ? {} : { offload_kv_cache_to_gpu: form.isCacheOnGpu }),
  };
}

/** The part of the form that the estimate of the memory depends on. */
export function toEstimateRequest(model: string, form: LoadForm) {
  const { context_length, parallel, eval_batch_size, flash_attention } = toLoadRequest(model, form);
  return {
    model,
    ...(context_length === undefined ? {} : { context_length }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(eval_batch_size === undefined ? {} : { eval_batch_size }),
    ...(flash_attention === undefined ? {} : { flash_attention }),
  };
}

function wholeNumber(text: string, min = 1): number | undefined {
  const number = Number(text);
  return text.trim() !== '' && Number.isInteger(number) && number >= min ? number : undefined;
}

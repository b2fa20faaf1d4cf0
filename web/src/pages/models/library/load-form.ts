import type { LoadSettings } from '../../../../../src/api/v1/models/model-settings-schema.ts';
import type { LoadRequest } from '../../../../../src/api/v1/models/model-schema.ts';

export type SplitMode = NonNullable<LoadSettings['split_mode']>;
export type CacheType = NonNullable<LoadSettings['kv_cache_type']>;

/** The user's input for a load; an empty text means the default. */
export interface LoadForm {
  readonly contextLength: number | undefined;
  readonly parallel: string;
  readonly batch: string;
  readonly ttlMinutes: string;
  readonly gpuLayers: string;
  readonly flashAttention: boolean | undefined;
  readonly isCacheOnGpu: boolean | undefined;
  readonly mainGpu: string;
  readonly splitMode: SplitMode | '';
  /** Shares of the GPUs, such as `3,1`. */
  readonly tensorSplit: string;
  readonly cpuExpertLayers: string;
  readonly cacheType: CacheType | '';
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
  mainGpu: '',
  splitMode: '',
  tensorSplit: '',
  cpuExpertLayers: '',
  cacheType: '',
  isForced: false,
};

/** Converts the form to a load request. Empty settings are absent, so that the defaults apply. */
export function toLoadRequest(model: string, form: LoadForm): LoadRequest {
  return { model, ...toLoadSettings(form), ...(form.isForced ? { force: true } : {}) };
}

/** The settings that the user has entered. */
export function toLoadSettings(form: LoadForm): LoadSettings {
  const parallel = wholeNumber(form.parallel);
  const batch = wholeNumber(form.batch);
  const ttl = wholeNumber(form.ttlMinutes);
  const gpuLayers = wholeNumber(form.gpuLayers, 0);
  const cpuExpertLayers = wholeNumber(form.cpuExpertLayers, 0);
  const tensorSplit = form.tensorSplit.split(',').map((part) => Number(part.trim() || Number.NaN));
  const mainGpu = form.mainGpu.trim();
  return {
    ...(form.contextLength === undefined ? {} : { context_length: form.contextLength }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(batch === undefined ? {} : { eval_batch_size: batch }),
    ...(ttl === undefined ? {} : { ttl: ttl * 60 }),
    ...(gpuLayers === undefined ? {} : { gpu_layers: gpuLayers }),
    ...(form.flashAttention === undefined ? {} : { flash_attention: form.flashAttention }),
    ...(form.isCacheOnGpu === undefined ? {} : { offload_kv_cache_to_gpu: form.isCacheOnGpu }),
    ...(cpuExpertLayers === undefined ? {} : { cpu_moe_layers: cpuExpertLayers }),
    ...(mainGpu === '' ? {} : { main_gpu: mainGpu }),
    ...(form.splitMode === '' ? {} : { split_mode: form.splitMode }),
    ...(form.cacheType === '' ? {} : { kv_cache_type: form.cacheType }),
    ...(tensorSplit.every((share) => share >= 0) ? { tensor_split: tensorSplit } : {}),
  };
}

/** The settings that affect the memory estimate. */
export function toEstimateRequest(model: string, form: LoadForm) {
  const { ttl: _, ...settings } = toLoadSettings(form);
  return { model, ...settings };
}

function wholeNumber(text: string, min = 1): number | undefined {
  const number = Number(text);
  return text.trim() !== '' && Number.isInteger(number) && number >= min ? number : undefined;
}

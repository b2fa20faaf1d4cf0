import { HearthError } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { KeptLoadOptions } from '../../../engines/loads/model-settings.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import {
  deleteModelSettings,
  getModelSettings,
  listModelSettings,
  type LoadSettings,
  setModelSettings,
  toKeptLoadOptions,
} from './model-settings-schema.ts';

export function mountModelSettings(app: App, { library, modelSettings, pool }: ApiServices): void {
  const keyOf = async (name: string): Promise<string> => (await library.find(name)).model.key;
  const toRecord = (model: string, options: KeptLoadOptions = {}) => ({
    model,
    load: toLoadSettings(options),
  });

  mount(app, listModelSettings, async () => ({
    models: modelSettings.list().map(([key, options]) => toRecord(key, options)),
  }));

  mount(app, getModelSettings, async ({ params }) => {
    const key = await keyOf(params.model);
    return toRecord(key, modelSettings.get(key));
  });

  mount(app, setModelSettings, async ({ params, body }) => {
    const key = await keyOf(params.model);
    const options = toKeptLoadOptions(body.load);
    // Refuses what a load would refuse, such as a context that the model does not support.
    await pool.estimate(key, options);
    await modelSettings.set(key, options);
    return toRecord(key, options);
  });

  mount(app, deleteModelSettings, async ({ params }) => {
    const key = await keyOf(params.model).catch((error: unknown) => {
      const isGone = error instanceof HearthError && error.code === 'model_not_found';
      // Settings stay when their model is deleted.
      if (isGone && modelSettings.get(params.model) !== undefined) return params.model;
      throw error;
    });
    return { model: key, deleted: await modelSettings.delete(key) };
  });
}

function toLoadSettings(options: KeptLoadOptions): LoadSettings {
  return omitUndefined({
    context_length: options.contextLength,
    parallel: options.parallel,
    ttl: options.ttlSeconds,
    eval_batch_size: options.evalBatchSize,
    flash_attention: options.hasFlashAttention,
    num_experts: options.expertCount,
    offload_kv_cache_to_gpu: options.offloadsKvCacheToGpu,
    gpu_layers: options.gpuLayers,
    speculation: options.speculation,
    draft_model: options.draftModel,
  });
}

import { given } from '../../../contract/given.ts';
import {
  getModel,
  listModels,
  loadModel,
  unloadModel,
  type LoadRequest,
} from '../../../contract/v1/model.ts';
import type { LoadOptions } from '../../../instances/lease.ts';
import { mount, type App } from '../../mount.ts';
import { instancesMeant, loadedInstances } from '../loaded-instances.ts';
import type { SurfaceServices } from '../services.ts';
import { toLoadConfig, toV1Model } from './record.ts';

export function mountModels(app: App, { library, pool }: SurfaceServices): void {
  mount(app, listModels, async () => {
    const models = await library.list();
    const instances = pool.list();
    return {
      models: models.flatMap((model) =>
        model.variants
          .slice(0, 1)
          .map((variant) => toV1Model(model, variant, loadedInstances(instances, model))),
      ),
    };
  });

  mount(app, getModel, async ({ params }) => {
    const selection = await library.find(params.model);
    const loaded = instancesMeant(pool.list(), selection, params.model);
    return toV1Model(selection.model, selection.variant, loaded);
  });

  mount(app, loadModel, async ({ body, signal }) => {
    const instance = await pool.load(body.model, toLoadOptions(body), signal);
    return {
      type: instance.selection.model.type === 'embeddings' ? 'embedding' : 'llm',
      instance_id: instance.id,
      load_time_seconds: instance.loadTimeSeconds,
      status: 'loaded',
      ...given({
        load_config: body.echo_load_config === true ? toLoadConfig(instance.config) : undefined,
      }),
    };
  });

  mount(app, unloadModel, async ({ body }) => {
    await pool.unload(body.instance_id);
    return { instance_id: body.instance_id };
  });
}

function toLoadOptions(body: LoadRequest): LoadOptions {
  return given({
    contextLength: body.context_length,
    parallel: body.parallel,
    evalBatchSize: body.eval_batch_size,
    hasFlashAttention: body.flash_attention,
    expertCount: body.num_experts,
    offloadsKvCacheToGpu: body.offload_kv_cache_to_gpu,
    ttlSeconds: body.ttl,
  });
}

import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import {
  deleteModel,
  getModel,
  listModels,
  type LoadEstimateResult,
  loadModel,
  type LoadRequest,
  unloadModel,
} from './model-schema.ts';
import type { LoadOptions } from '../../../engines/loads/load-options.ts';
import type { LoadEstimate } from '../../../engines/loads/load-estimate.ts';
import { type App, mount } from '../../kit/mount.ts';
import {
  findModel,
  listModels as listNamed,
  servingInstances,
  servicesFor,
} from '../../kit/named-models.ts';
import { assertChatTemplate } from '../../../library/chat-template.ts';
import { toAdapterChoices } from './adapter-schema.ts';
import { toKeptLoadOptions } from './model-settings-schema.ts';
import type { ApiServices } from '../../services.ts';
import {
  toChosenConfig,
  toEstimatedBytes,
  toLoadConfig,
  toModelType,
  toPlacement,
  toV1Model,
} from './model-record.ts';
import { removeModel } from '../../../engines/loads/remove-model.ts';

export function mountModels(app: App, services: ApiServices): void {
  const { pool } = services;
  mountDeleteModel(app, services);

  mount(app, listModels, async ({ context }) => {
    const named = await listNamed(servicesFor(services, context.caller));
    const instances = pool.list();
    return {
      models: named.map((each) => toV1Model(each, servingInstances(services, instances, each))),
    };
  });

  mount(app, getModel, async ({ params, context }) => {
    const named = await findModel(servicesFor(services, context.caller), params.model);
    return toV1Model(named, servingInstances(services, pool.list(), named, params.model));
  });

  mount(app, loadModel, async ({ body, context }) => {
    const options = toLoadOptions(body);
    if (body.estimate_only === true) {
      const { modelScope } = context.caller;
      return toLoadEstimate(await pool.estimate(body.model, options, modelScope));
    }
    const instance = await pool.load(body.model, options, context);
    return {
      type: toModelType(instance.selection.model),
      instance_id: instance.id,
      load_time_seconds: instance.loadTimeSeconds,
      status: 'loaded',
      ...omitUndefined({
        load_config: body.echo_load_config === true ? toLoadConfig(instance.config) : undefined,
      }),
    };
  });

  mount(app, unloadModel, async ({ body, context }) => ({
    instance_id: await pool.unload(body.instance_id, context.caller.modelScope),
  }));
}

function toLoadOptions(body: LoadRequest): LoadOptions {
  if (body.chat_template != null) assertChatTemplate(body.chat_template);
  return {
    ...toKeptLoadOptions(body),
    ...omitUndefined({
      identifier: body.identifier,
      isForced: body.force,
      adapterChoices: body.adapters == null ? undefined : toAdapterChoices(body.adapters),
    }),
  };
}

function toLoadEstimate(load: LoadEstimate): LoadEstimateResult {
  const { placement, usableBytes, fits, config } = load;
  const { gpuBytes } = placement;
  return {
    type: toModelType(load.selection.model),
    status: 'estimated',
    estimate: {
      ...toEstimatedBytes(load),
      ...(gpuBytes > 0 && { gpu_bytes: gpuBytes }),
      usable_bytes: usableBytes,
      fits,
    },
    load_config: toChosenConfig(config),
    ...toPlacement(placement),
  };
}

export function mountDeleteModel(app: App, services: ApiServices): void {
  mount(app, deleteModel, async ({ params, context }) => {
    const { name, freedBytes } = await removeModel(
      servicesFor(services, context.caller),
      params.model,
    );
    context.logger.info({ model: name, freedBytes }, 'model deleted');
    services.events.publish({ type: 'model.deleted', model: name, freedBytes });
    return { model: name, deleted: true, freed_bytes: freedBytes };
  });
}

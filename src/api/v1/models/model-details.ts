import { HearthError } from '../../../kernel/errors/errors.ts';
import { estimateModel, getModelDetails, type ModelDetails } from './model-details-schema.ts';
import type { LoadEstimate } from '../../../engines/loads/load-estimate.ts';
import { findModel, servingInstances, servicesFor } from '../../kit/named-models.ts';
import { memoryFit } from '../../../engines/loads/memory-fit.ts';
import type { Headroom } from '../../../engines/engines.ts';
import {
  type DefaultSampling,
  readDefaultSampling,
} from '../../../engines/loads/default-sampling.ts';
import { readHeaderDetails } from '../../../library/header-details.ts';
import { listModelFiles } from '../../../library/model-files.ts';
import type { ModelEntry, ModelSelection } from '../../../library/model.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toAdapter } from './adapters.ts';
import {
  toHeadroom,
  toChosenConfig,
  toEstimatedBytes,
  toPlacement,
  toQuantization,
  toV1Model,
} from './model-record.ts';
import { toKeptLoadOptions } from './model-settings-schema.ts';

/** Context lengths for which the memory is listed, besides the model's maximum. */
const shownContexts = [2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144];

export function mountModelDetails(app: App, services: ApiServices): void {
  const { modelSettings, pool } = services;

  mount(app, getModelDetails, async ({ query, context }) => {
    const selection = await findModel(servicesFor(services, context.caller), query.model);
    const { model, variant } = selection;
    const loaded = servingInstances(services, pool.list(), selection, query.model);
    const { variants: _, selected_variant: __, ...record } = toV1Model(selection, loaded);
    const settings = modelSettings.inForce(selection);
    const header = await readHeaderDetails(selection, context.signal);
    const sampling = await readDefaultSampling(selection, header, context.signal);
    const files = await listModelFiles(selection);
    const projector = files.find(({ role }) => role === 'projector');
    return {
      ...record,
      architecture: model.architecture,
      description: model.description,
      supports_infill: model.supportsInfill,
      default_sampling:
        sampling === undefined ? null : toSampling({ ...sampling, ...settings.sampling }),
      structure: toStructure(model),
      chat_template: settings.load?.chatTemplate ?? header.chatTemplate,
      license: header.license,
      license_link: header.licenseLink,
      author: header.author,
      source_url: header.sourceUrl,
      files: files.map(({ name, sizeBytes, role }) => ({ name, size_bytes: sizeBytes, role })),
      variants: model.variants.map((each) => ({
        key: `${model.key}@${each.id}`,
        quantization: toQuantization(each),
        size_bytes: each.sizeBytes,
        selected: each.id === variant.id,
      })),
      projector:
        projector === undefined ? null : { file: projector.name, size_bytes: projector.sizeBytes },
      adapters: (await services.libraryFor(context.caller).adaptersFor(selection)).map(toAdapter),
      ...toHeadroom(pool.headroom()),
      memory: await memoryAtContexts(services, selection),
    };
  });

  mount(app, estimateModel, async ({ body, context }) => {
    const { model: name, ...options } = body;
    const load = await pool.estimate(name, toKeptLoadOptions(options), context.caller.modelScope);
    const { model, variant } = load.selection;
    const { capacityBytes } = pool.headroom();
    const headroom = { usableBytes: load.usableBytes, capacityBytes };
    return {
      model: `${model.key}@${variant.id}`,
      load_config: toChosenConfig(load.config),
      ...toPlacement(load.placement),
      ...toMemory(load, headroom),
      ...toHeadroom(headroom),
    };
  });
}

async function memoryAtContexts(
  { pool }: Pick<ApiServices, 'pool'>,
  { model, variant }: ModelSelection,
): Promise<ModelDetails['memory']> {
  const { maxContextLength } = model;
  const contexts = shownContexts.filter((context) => context < maxContextLength);
  try {
    return await Promise.all(
      [...contexts, maxContextLength].map(async (contextLength) => {
        const options = { contextLength, parallel: 1 };
        const load = await pool.estimate(`${model.key}@${variant.id}`, options);
        const { capacityBytes } = pool.headroom();
        return {
          context_length: load.config.contextLength,
          parallel: 1,
          ...toMemory(load, { usableBytes: load.usableBytes, capacityBytes }),
        };
      }),
    );
  } catch (error) {
    // If no runtime of this machine can load the model, its memory is unknown.
    if (error instanceof HearthError && error.code === 'unsupported_format') return [];
    throw error;
  }
}

function toMemory(load: LoadEstimate, headroom: Headroom) {
  const fit = memoryFit(load.estimate.totalBytes, headroom);
  return {
    ...toEstimatedBytes(load),
    // `models.maxLoaded` may prevent a load even if the memory suffices.
    fits: fit === 'fits' && !load.fits ? ('partly' as const) : fit,
  };
}

function toSampling({ temperature, topP, topK, minP, repeatPenalty }: DefaultSampling) {
  return {
    temperature,
    top_p: topP,
    top_k: topK,
    min_p: minP,
    repeat_penalty: repeatPenalty,
  };
}

function toStructure({ attention, dimensions }: ModelEntry): ModelDetails['structure'] {
  const known = (value: number | undefined): number | undefined =>
    value === 0 ? undefined : value;
  return omitUndefined({
    layers: known(attention?.layerCount),
    embedding_length: known(dimensions?.embedding),
    attention_heads: known(dimensions?.heads),
    vocabulary_size: known(dimensions?.vocabulary),
    experts_used: dimensions?.experts?.used,
    sliding_window: attention?.window?.tokens,
  });
}

import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { NamedModel } from '../../kit/named-models.ts';
import type { ChosenConfig, LoadConfig, ModelPlacement } from './load-config-schema.ts';
import { toLoadSettings } from './model-settings-schema.ts';
import type { ModelType, V1Model } from './model-schema.ts';
import type { InstanceSummary } from '../../../engines/loads/instance-summary.ts';
import type { LoadEstimate } from '../../../engines/loads/load-estimate.ts';
import type { Placement } from '../../../engines/placement/place-model.ts';
import type { InstanceConfig, SizeName } from '../../../engines/loads/load-options.ts';
import type { Headroom } from '../../../engines/engines.ts';
import type { ModelEntry, ModelVariant } from '../../../library/model.ts';

/** Converts a model or profile to v1's format; `loaded` are the instances that serve it. */
export function toV1Model(
  { id, model, variant }: NamedModel,
  loaded: readonly InstanceSummary[],
): V1Model {
  const machines = [model, ...(model.elsewhere ?? [])].flatMap(({ machine }) => machine ?? []);
  return {
    type: toModelType(model),
    publisher: model.publisher,
    key: id,
    ...(id !== model.key && { base: model.key }),
    display_name: id === model.key ? model.displayName : id,
    ...(isLanguageModel(model) ? { architecture: model.architecture } : {}),
    quantization: toQuantization(variant),
    size_bytes: variant.sizeBytes,
    params_string: model.parameterLabel,
    loaded_instances: loaded.map(({ id: instanceId, config, placement }) => ({
      id: instanceId,
      config: toLoadConfig(config),
      ...toPlacement(placement),
    })),
    max_context_length: model.maxContextLength,
    format: model.format === 'remote' ? null : model.format,
    ...(machines.length > 0 ? { machines } : {}),
    ...(isLanguageModel(model) ? languageModelFields(model) : {}),
    ...(model.variants.length > 1 && id === model.key
      ? {
          variants: model.variants.map((each) => `${model.key}@${each.id}`),
          selected_variant: `${model.key}@${variant.id}`,
        }
      : {}),
  };
}

const modelTypes = {
  llm: 'llm',
  vlm: 'llm',
  embeddings: 'embedding',
  reranker: 'reranker',
} as const satisfies Record<ModelEntry['type'], ModelType>;

export function toModelType({ type }: ModelEntry): ModelType {
  return modelTypes[type];
}

function isLanguageModel(model: ModelEntry): boolean {
  return toModelType(model) === 'llm';
}

export function toQuantization({ quantization }: ModelVariant): V1Model['quantization'] {
  if (quantization === null) return null;
  return { name: quantization.name, bits_per_weight: quantization.bitsPerWeight };
}

function languageModelFields(model: ModelEntry): Partial<V1Model> {
  const { reasoning } = model;
  return {
    capabilities: {
      vision: model.type === 'vlm',
      audio: model.hearsAudio,
      trained_for_tool_use: model.isTrainedForToolUse,
      ...(reasoning === null
        ? {}
        : {
            reasoning: {
              allowed_options: [...reasoning.allowedOptions],
              default: reasoning.default,
            },
          }),
    },
    description: model.description,
  };
}

export function toLoadConfig(config: InstanceConfig): LoadConfig {
  const { contextLength, chatTemplate: _template, draft, adapters, ...others } = config;
  return {
    context_length: contextLength,
    ...toLoadSettings(omitUndefined({ ...others, draftModel: draft?.model.key })),
    ...omitUndefined({
      adapters: adapters?.map(({ adapter, scale }) => ({ adapter: adapter.key, scale })),
    }),
  };
}

/** Where an instance's layers are; empty if the engine places them or there is no instance. */
export function toPlacement({
  gpuLayers = 0,
  layerCount,
  cpuExpertLayers,
  splitMode,
  gpus,
}: Placement): { placement?: ModelPlacement } {
  if (layerCount === 0) return {};
  return {
    placement: {
      gpu_layers: gpuLayers,
      layers: layerCount,
      ...(cpuExpertLayers > 0 && { cpu_moe_layers: cpuExpertLayers }),
      ...omitUndefined({ split_mode: splitMode }),
      gpus: gpus.map(({ id, name, layers, bytes }) => ({ id, name, layers, bytes })),
    },
  };
}

/** The configuration of a load, including the values that the server chose. */
export function toChosenConfig(config: InstanceConfig): ChosenConfig {
  return {
    ...toLoadConfig(config),
    ...omitUndefined({
      cache_contexts: config.cacheContexts,
      chosen_by_memory: config.chosenByMemory?.map((size) => sizeNames[size]),
    }),
  };
}

const sizeNames = {
  contextLength: 'context_length',
  cacheContexts: 'cache_contexts',
} as const satisfies Record<SizeName, string>;

export function toHeadroom({ usableBytes, capacityBytes }: Headroom) {
  return { usable_bytes: usableBytes, capacity_bytes: capacityBytes };
}

export function toEstimatedBytes({ estimate }: LoadEstimate) {
  return {
    total_bytes: estimate.totalBytes,
    weights_bytes: estimate.weightsBytes,
    kv_cache_bytes: estimate.kvCacheBytes,
    compute_bytes: estimate.computeBytes,
    projector_bytes: estimate.projectorBytes,
    process_bytes: estimate.processBytes,
  };
}

import type { OllamaModel, OllamaModelDetails } from './models-schema.ts';
import type { InstanceSummary } from '../../engines/loads/instance-summary.ts';
import type { ModelSelection } from '../../library/model.ts';
import { variantFiles } from '../../library/variant-files.ts';

/**
 * The model's name in Ollama's notation. The tag of the best variant is `latest`; models of a remote Ollama keep the
 * tag in their key.
 */
function toOllamaName({ model, variant, alias }: ModelSelection): string {
  if (alias !== undefined) return alias.includes(':') ? alias : `${alias}:latest`;
  if (model.key.includes(':')) return model.key;
  return `${model.key}:${variant.id === model.variants[0]?.id ? 'latest' : variant.id}`;
}

export function toDetails({ model, variant }: ModelSelection): OllamaModelDetails {
  return {
    parent_model: '',
    format: model.format,
    family: model.architecture,
    families: [model.architecture],
    parameter_size: model.parameterLabel ?? '',
    quantization_level: variant.quantization?.name ?? '',
  };
}

export async function toOllamaModel(selection: ModelSelection): Promise<OllamaModel> {
  const name = toOllamaName(selection);
  const { modifiedAt, digest } = await variantFiles(selection);
  return {
    name,
    model: name,
    modified_at: modifiedAt.toISOString(),
    size: selection.variant.sizeBytes,
    digest,
    details: toDetails(selection),
  };
}

/** @param isOnGpu True if the runtime uses a GPU. */
export async function toLoadedModel(
  { selection, estimatedBytes, config, ttlSeconds, idleSeconds = 0 }: InstanceSummary,
  isOnGpu: boolean,
) {
  const { modified_at: _, ...record } = await toOllamaModel(selection);
  const remainingSeconds = ttlSeconds === undefined ? neverSeconds : ttlSeconds - idleSeconds;
  return {
    ...record,
    size: estimatedBytes,
    size_vram: isOnGpu ? estimatedBytes : 0,
    expires_at: new Date(Date.now() + Math.max(0, remainingSeconds) * 1000).toISOString(),
    context_length: config.contextLength,
  };
}

/** Clients expect an expiry time even if the model stays loaded. */
const neverSeconds = 100 * 365 * 24 * 3600;

type Capability = 'completion' | 'tools' | 'vision' | 'audio' | 'thinking' | 'insert' | 'embedding';

export function toCapabilities({ model }: ModelSelection): Capability[] {
  if (model.type === 'embeddings') return ['embedding'];
  if (model.type === 'reranker') return [];
  return [
    'completion',
    ...(model.isTrainedForToolUse ? (['tools'] as const) : []),
    ...(model.type === 'vlm' ? (['vision'] as const) : []),
    ...(model.hearsAudio ? (['audio'] as const) : []),
    ...(model.reasoning === null ? [] : (['thinking'] as const)),
    ...(model.supportsInfill ? (['insert'] as const) : []),
  ];
}

/** Entries of a GGUF file's header that Hearth keeps. */
export function toModelInfo({ model }: ModelSelection): Readonly<Record<string, unknown>> {
  const { architecture, dimensions, attention } = model;
  return {
    'general.architecture': architecture,
    'general.basename': model.displayName,
    ...(model.parameterLabel === null ? {} : { 'general.size_label': model.parameterLabel }),
    [`${architecture}.context_length`]: model.maxContextLength,
    ...(dimensions === null
      ? {}
      : {
          [`${architecture}.embedding_length`]: dimensions.embedding,
          [`${architecture}.feed_forward_length`]: dimensions.feedForward,
          [`${architecture}.attention.head_count`]: dimensions.heads,
          [`${architecture}.vocab_size`]: dimensions.vocabulary,
        }),
    ...(attention === null ? {} : { [`${architecture}.block_count`]: attention.layerCount }),
  };
}

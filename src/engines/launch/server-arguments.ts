import { sep } from 'node:path';
import { pathArgument } from '../../platform/machine/path-argument.ts';
import { gpuArguments } from './gpu-arguments.ts';
import type { EngineEndpoint } from './endpoint.ts';
import type { LaunchSpec } from './launch.ts';

/**
 * Batch size in tokens. Small, since a canceled request waits for the current batch. On a slow machine, a batch takes
 * 1.3 s with 256 tokens and 9 s with the engine's default of 2,048, at the same speed.
 */
const generationBatchTokens = 256;
/** Models with non-causal attention for images need all of an image's tokens in one batch. */
const visionBatchTokens = 512;
/** Tokens that the engine computes at once on a GPU if Hearth sets no batch size (llama.cpp, `n_ubatch`). */
export const gpuBatchTokens = 512;
/** The engine's warm-up needs two tokens. */
const minBatchTokens = 2;

/**
 * Tokens of a draft. Longer drafts fail more often, and a failed draft costs the time of its tokens. For `ngram`,
 * this is also the number of tokens that must repeat before the engine drafts the tokens that followed them earlier
 * (docs/adr/0034-calibrated-speculation.md).
 */
export const draftLengths = { ngram: 12, mtp: 3, draft: 3 } as const;

/** Connections in addition to one per slot: for token counts, health checks, and canceled streams. */
const spareConnections = 4;

/** Model name for the engine. Short, and not a path, since each event repeats it. */
const modelAlias = 'model';

export function maxConnections(spec: Pick<LaunchSpec, 'parallel'>): number {
  return spec.parallel + spareConnections;
}

/**
 * The arguments of llama-server for one launch. The wheel's launcher takes the same arguments.
 *
 * @param threads CPU threads, 1 or more.
 */
export function buildServerArguments(
  spec: LaunchSpec,
  endpoint: EngineEndpoint,
  threads: number,
): readonly string[] {
  const batch = batchTokens(spec);
  const isGeneration = spec.purpose === 'generation';
  const values: Record<string, string | number | boolean | undefined> = {
    '--model': pathArgument(spec.modelPath, process.platform),
    '--mmproj': spec.projectorPath && pathArgument(spec.projectorPath, process.platform),
    '--alias': modelAlias,
    '--host': endpoint.type === 'socket' ? endpoint.socketPath : endpoint.host,
    '--port': endpoint.type === 'socket' ? undefined : endpoint.port,
    // Each open connection occupies one thread, even if it is idle.
    '--threads-http': maxConnections(spec) + spareConnections,
    // The engine divides the context among its slots, unless they share it.
    '--ctx-size': spec.contextLength * (spec.sharedContexts ?? spec.parallel),
    '--parallel': spec.parallel,
    ...sharingArguments(spec),
    '--threads': threads,
    '--threads-batch': threads,
    '--batch-size': usesGpu(spec) ? undefined : batch,
    '--ubatch-size': usesGpu(spec) ? undefined : batch,
    '--n-gpu-layers': spec.gpuLayers,
    // The wheel does not support this option.
    '--n-cpu-moe': mayUseGpu(spec) ? spec.cpuExpertLayers || undefined : undefined,
    ...gpuArguments(spec),
    '--fit': picksGpuLayers(spec) ? undefined : 'off',
    '--flash-attn': flashAttention(spec),
    '--no-kv-offload': spec.offloadsKvCacheToGpu === false,
    '--cache-type-k': spec.kvCacheTypes?.k,
    '--cache-type-v': spec.kvCacheTypes?.v,
    '--override-kv': expertOverride(spec),
    ...speculationArguments(spec),
    ...adapterArguments(spec),
    '--embeddings': spec.purpose === 'embedding',
    '--reranking': spec.purpose === 'reranking',
    '--jinja': isGeneration,
    '--chat-template-file':
      spec.chatTemplatePath && pathArgument(spec.chatTemplatePath, process.platform),
    '--reasoning-format': isGeneration ? 'auto' : undefined,
    '--cache-ram': isGeneration ? spec.promptCacheMiB : 0,
    // The wheel joins folder and file name without a separator.
    '--slot-save-path': spec.slotFolder === undefined ? undefined : `${spec.slotFolder}${sep}`,
    '--slots': true,
    '--offline': true,
    '--no-webui': true,
    // Only errors, which explain a failed launch. A line for each request would cost time.
    '--log-verbosity': 1,
  };
  return Object.entries(values).flatMap(([flag, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, String(value)];
  });
}

/** Lets each slot use up to a whole context. Idle slots keep their content until Hearth clears them. */
function sharingArguments({ sharedContexts, contextLength }: LaunchSpec) {
  if (sharedContexts === undefined) return {};
  return {
    '--kv-unified': true,
    '--kv-unified-per-slot': contextLength,
    '--no-cache-idle-slots': true,
  };
}

interface GpuSpec extends Pick<LaunchSpec, 'runtime'> {
  readonly gpuLayers?: LaunchSpec['gpuLayers'];
}

/** The settings that determine the size of a batch. */
type BatchSpec = Pick<
  LaunchSpec,
  'purpose' | 'contextLength' | 'parallel' | 'evalBatchSize' | 'projectorPath'
>;

/** Tokens in one batch of an engine process, over all slots. */
export function batchTokens(spec: BatchSpec): number {
  // A batch must hold at least one token of each slot.
  return Math.max(batchSize(spec), spec.parallel, minBatchTokens);
}

function batchSize(spec: BatchSpec): number {
  // An embedding model or a reranker processes a whole text in one batch. At its start, the engine divides a full
  // batch among all slots, and exits if the tokens can't be divided evenly.
  if (spec.purpose !== 'generation')
    return Math.ceil(spec.contextLength / spec.parallel) * spec.parallel;
  if (spec.evalBatchSize !== undefined) return spec.evalBatchSize;
  return spec.projectorPath === undefined ? generationBatchTokens : visionBatchTokens;
}

/** True if the engine's default batch size is used, which is faster on a GPU, and still takes little time. */
function usesGpu(spec: LaunchSpec): boolean {
  return spec.purpose === 'generation' && spec.evalBatchSize === undefined && mayUseGpu(spec);
}

/** True if the engine searches for the number of layers that fit. The search takes 0.1 s and helps only with a GPU. */
function picksGpuLayers(spec: LaunchSpec): boolean {
  return spec.gpuLayers === undefined && mayUseGpu(spec);
}

/** True if layers may be on a GPU: the build supports one, and the launch does not exclude it. */
export function mayUseGpu({ gpuLayers, runtime }: GpuSpec): boolean {
  return gpuLayers !== 0 && !runtime.name.endsWith('-cpu');
}

function speculationArguments({ purpose, speculation, gpuLayers }: LaunchSpec) {
  if (purpose !== 'generation' || speculation === undefined) return {};
  const length = draftLengths[speculation.kind];
  switch (speculation.kind) {
    case 'draft':
      return {
        '--spec-type': 'draft-simple',
        '--spec-draft-model': pathArgument(speculation.modelPath, process.platform),
        '--spec-draft-ngl': gpuLayers === 0 ? 0 : undefined,
        '--spec-draft-n-max': length,
      };
    case 'mtp':
      return { '--spec-type': 'draft-mtp', '--spec-draft-n-max': length };
    case 'ngram':
      return {
        '--spec-type': 'ngram-simple',
        '--spec-ngram-simple-size-n': length,
        '--spec-ngram-simple-size-m': length,
      };
  }
}

/** Attaches adapters without applying them, since each request chooses its own. The paths form a line of CSV. */
function adapterArguments({ adapters = [] }: LaunchSpec) {
  if (adapters.length === 0) return {};
  const paths = adapters.map(({ path }) => pathArgument(path, process.platform));
  return {
    '--lora': paths.map((path) => `"${path.replaceAll('"', '""')}"`).join(','),
    '--lora-init-without-apply': true,
  };
}

function flashAttention({ hasFlashAttention }: LaunchSpec): 'on' | 'off' | undefined {
  if (hasFlashAttention === undefined) return undefined;
  return hasFlashAttention ? 'on' : 'off';
}

function expertOverride({ architecture, expertCount }: LaunchSpec): string | undefined {
  if (expertCount === undefined) return undefined;
  if (architecture === undefined) throw new TypeError('expertCount needs architecture');
  return `${architecture}.expert_used_count=int:${expertCount}`;
}

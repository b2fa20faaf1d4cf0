import type { EngineEndpoint } from './endpoint.ts';
import type { LaunchSpec } from './launch.ts';

/**
 * Tokens read at once. Cancelling a request waits for the batch in hand, so it is small: 1.3 s at 256
 * against 9 s at the engine's own 2,048 on a slow machine, at the same speed.
 */
const generationBatchTokens = 256;
/** The tokens of an image must fit in one batch where a model looks at them both ways. */
const visionBatchTokens = 512;
/** Its warm-up takes two tokens. */
const minBatchTokens = 2;

/** Sockets beyond one for each slot: counting tokens, health, a cancelled stream that still closes. */
const spareConnections = 4;

/** Name that the engine repeats in each event; short, and no path. */
const modelAlias = 'model';

export function maxConnections(spec: Pick<LaunchSpec, 'parallel'>): number {
  return spec.parallel + spareConnections;
}

/**
 * The arguments of llama-server for one launch. The wheel's launcher takes the same ones.
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
    '--model': spec.modelPath,
    '--mmproj': spec.projectorPath,
    '--alias': modelAlias,
    '--host': endpoint.type === 'socket' ? endpoint.socketPath : endpoint.host,
    '--port': endpoint.type === 'socket' ? undefined : endpoint.port,
    // One thread serves one open connection, and an idle kept-alive one holds it too.
    '--threads-http': maxConnections(spec) + spareConnections,
    // The engine divides the context over its slots.
    '--ctx-size': spec.contextLength * spec.parallel,
    '--parallel': spec.parallel,
    '--threads': threads,
    '--threads-batch': threads,
    '--batch-size': batch,
    '--ubatch-size': batch,
    '--n-gpu-layers': spec.gpuLayers,
    '--fit': picksGpuLayers(spec) ? undefined : 'off',
    '--flash-attn': flashAttention(spec),
    '--no-kv-offload': spec.offloadsKvCacheToGpu === false,
    '--cache-type-k': spec.kvCacheTypes?.k,
    '--cache-type-v': spec.kvCacheTypes?.v,
    '--override-kv': expertOverride(spec),
    '--embeddings': !isGeneration,
    '--jinja': isGeneration,
    '--reasoning-format': isGeneration ? 'auto' : undefined,
    '--cache-ram': isGeneration ? spec.promptCacheMiB : 0,
    '--slots': true,
    '--offline': true,
    '--no-webui': true,
    // Errors only: they say why a launch failed, and a line for each request costs time.
    '--log-verbosity': 1,
  };
  return Object.entries(values).flatMap(([flag, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, String(value)];
  });
}

/** What the size of a batch depends on. */
type BatchSpec = Pick<
  LaunchSpec,
  'purpose' | 'contextLength' | 'parallel' | 'evalBatchSize' | 'projectorPath'
>;

/** Tokens that an engine process reads at once, those of all slots together. */
export function batchTokens(spec: BatchSpec): number {
  // A batch has a token of every slot.
  return Math.max(batchSize(spec), spec.parallel, minBatchTokens);
}

function batchSize(spec: BatchSpec): number {
  // An embedding model looks at a whole text at once.
  if (spec.purpose === 'embedding') return spec.contextLength;
  if (spec.evalBatchSize !== undefined) return spec.evalBatchSize;
  return spec.projectorPath === undefined ? generationBatchTokens : visionBatchTokens;
}

/** Finding out how many layers fit costs a tenth of a second: only where something depends on it. */
function picksGpuLayers({ gpuLayers, runtime }: LaunchSpec): boolean {
  return gpuLayers === undefined && !runtime.name.endsWith('-cpu');
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

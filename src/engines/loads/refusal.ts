import { HearthError, type PromptSize } from '../../kernel/errors/errors.ts';
import { formatBytes } from '../../kernel/format.ts';
import { type Capacity, maxAvailable } from './policy/admit.ts';
import type { LoadDemand } from './policy/eviction.ts';
import type { InstanceView } from './policy/instance-view.ts';
import type { InstanceSummary } from './instance-summary.ts';

/** Time after which busy instances may have become idle, and loads may have ended. */
const retryAfterSeconds = 10;

/**
 * `memory`: too little memory; `places`: `models.maxLoaded` is reached; `time`: the load waited too long; `queue`:
 * the queue is full.
 */
export type RefusalReason = 'memory' | 'places' | 'time' | 'queue';

interface Refused {
  readonly instances: readonly InstanceView[];
  readonly demand: LoadDemand;
  readonly capacity: Capacity;
  readonly contextLength: number;
  /** The largest context that would fit, if a smaller one helps. */
  readonly fittingContext?: number | undefined;
}

/** `out_of_memory` with the numbers, for a load that does not fit even after all evictions. */
export function neverFits(refused: Refused, lacks: 'memory' | 'places'): HearthError {
  const { instances, demand, capacity, fittingContext } = refused;
  const { kept } = maxAvailable(instances, demand, capacity);
  if (lacks === 'places') {
    return new HearthError(
      'out_of_memory',
      `${demand.modelKey} can't be loaded: models.maxLoaded is ${capacity.maxLoaded}, and ${describe(kept)} ` +
        'stay loaded. Unload one of them: hearth unload <id>.',
    );
  }
  const stay = kept.length === 0 ? '' : ` while ${describe(kept)} stay loaded`;
  return new HearthError('out_of_memory', (name) => {
    const remedies = [
      ...(fittingContext === undefined
        ? []
        : [
            `Set ${name('contextLength')} to ${fittingContext} or less ` +
              `(hearth load ${demand.modelKey} --context-length ${fittingContext})`,
          ]),
      ...(kept.length === 0 ? [] : ['unload one of these']),
      `load it all the same: hearth load ${demand.modelKey} --force`,
    ];
    return `${numbers(refused)}${stay}. ${capitalized(remedies.join(', or '))}.`;
  });
}

/** For a load that waited too long, because the evictable instances were busy or other loads came first. */
export function waitedTooLong(refused: Refused, waitedSeconds: number): HearthError {
  const { maxLoaded } = refused.capacity;
  const places =
    maxLoaded === undefined ? '' : `, by at most ${maxLoaded} models (models.maxLoaded),`;
  return new HearthError(
    'out_of_memory',
    `${numbers(refused)}${places} once the models that are busy get idle; its turn did not come within ` +
      `${waitedSeconds} s. Try again later.`,
    { retryAfterSeconds },
  );
}

/** For a load that finds the admission queue full. */
export function admissionQueueFull(modelKey: string, capacity: number): HearthError {
  return new HearthError(
    'queue_full',
    `${modelKey} can't be loaded now: ${capacity} loads wait for memory already. Try again later.`,
    { retryAfterSeconds },
  );
}

/** For a request that stops waiting for its place, since another model may serve it. */
export function waitedInQueue(id: string, seconds: number): HearthError {
  return new HearthError(
    'queue_full',
    `${id} was busy for ${seconds} s, the \`maxWaitSeconds\` of the alias. Try again later.`,
    { retryAfterSeconds },
  );
}

/** For a request that no loaded instance can serve, if loading on request is off. */
export function notLoaded(
  modelKey: string,
  contextLength: number | undefined,
  instances: readonly InstanceSummary[],
): HearthError {
  const others = instances.filter(({ selection }) => selection.model.key === modelKey);
  const off = 'loading on request is off (models.jit)';
  const size = contextLength === undefined ? '' : ` --context-length ${contextLength}`;
  const command = `hearth load ${modelKey}${size}`;
  if (others.length === 0) {
    const message = `${modelKey} is not loaded, and ${off}. Load it first: ${command}`;
    return new HearthError('model_not_found', message, { field: 'model' });
  }
  const loaded = others.map(
    ({ id, selection, config }) =>
      `${id} (${selection.variant.id}, a context of ${config.contextLength} tokens)`,
  );
  const wanted = contextLength === undefined ? '' : ` with a context of ${contextLength} tokens`;
  return new HearthError(
    'model_not_found',
    `${modelKey} is not loaded as the request wants it${wanted}, and ${off}. ` +
      `Loaded: ${loaded.join(', ')}. Request a loaded configuration, or load it: ${command}`,
    { field: contextLength === undefined ? 'model' : 'contextLength' },
  );
}

/** For a request that stops waiting for a load, which continues. */
export function stillLoading(id: string, progress: number, waitedSeconds: number): HearthError {
  return new HearthError(
    'model_loading',
    `${id} still loads after ${waitedSeconds} s. The load continues: try again.`,
    { retryAfterSeconds, loading: { progress } },
  );
}

function numbers({ instances, demand, capacity, contextLength }: Refused): string {
  const { usableBytes } = maxAvailable(instances, demand, capacity);
  const limit =
    capacity.limitBytes === undefined
      ? ''
      : ` of the ${formatBytes(capacity.limitBytes)} of models.memoryLimitBytes`;
  return (
    `${demand.modelKey} with a context of ${contextLength} tokens needs about ` +
    `${formatBytes(demand.estimatedBytes)}, and ${formatBytes(usableBytes)} can be used${limit}`
  );
}

function describe(kept: readonly InstanceView[]): string {
  return kept
    .map(
      ({ id, isExplicit, estimatedBytes }) =>
        `${id} (${isExplicit ? 'loaded by name' : 'pinned'}, ${formatBytes(estimatedBytes)})`,
    )
    .join(', ');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a sentence that explains how to make a prompt fit; undefined if there is no way. */
export type ContextCure = (promptSize: PromptSize) => string | undefined;

/** Appends the cure's sentence to an error about a prompt that is too long; returns other errors unchanged. */
export function cured(error: unknown, cure: ContextCure): unknown {
  if (!(error instanceof HearthError) || error.code !== 'context_length_exceeded') return error;
  const { promptSize } = error;
  const advice = promptSize === undefined ? undefined : cure(promptSize);
  if (promptSize === undefined || advice === undefined) return error;
  return new HearthError('context_length_exceeded', (name) => `${error.describe(name)} ${advice}`, {
    promptSize,
    cause: error,
  });
}

/** The engine of an instance has ended, perhaps because of another request, or of none. */
export class EngineLost extends HearthError {
  /** True if this request is not the likely cause, so that it may be repeated on a new instance. */
  readonly isRepeatable: boolean;

  /** @param code `memory_exceeded` if the memory guard ended the engine. */
  constructor(code: 'memory_exceeded' | 'crashed', message: string, isRepeatable: boolean) {
    super(code, message);
    this.isRepeatable = isRepeatable;
  }
}

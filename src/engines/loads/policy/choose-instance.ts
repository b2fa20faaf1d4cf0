import type { ModelSelection } from '../../../library/model.ts';
import type { InstanceView } from './instance-view.ts';

/** Facts that decide which instance serves a demand. */
type Candidate = Pick<
  InstanceView,
  | 'modelKey'
  | 'variantId'
  | 'contextLength'
  | 'parallel'
  | 'adapterIds'
  | 'appliesAdapters'
  | 'state'
  | 'requestCount'
  | 'recentPrompts'
> & { readonly profile?: string | undefined };

export interface Demand {
  readonly modelKey: string;
  readonly variantId: string;
  /** Name of a profile that has its own instances. */
  readonly profile?: string | undefined;
  /** Absent: any length. */
  readonly contextLength?: number | undefined;
  /** Ids of adapters that the instance must have; absent: no requirement. */
  readonly adapterIds?: readonly string[] | undefined;
  /** Beginning of the prompt, to find the instance that has most of it in its cache. */
  readonly promptPrefix?: string | undefined;
}

const stateOrder = { ready: 0, loading: 1, waiting: 2, stopping: 3 } as const;

/**
 * Chooses the instance that serves a demand; undefined if one must be loaded. The preferences, in order of
 * importance:
 * 1. No default adapters, if the demand names no adapters.
 * 2. Ready rather than loading, loading rather than waiting.
 * 3. The fewest requests per slot.
 * 4. The longest context, which was loaded for prompts that need it.
 * 5. The longest common prefix with a recent prompt.
 */
export function chooseInstance<Instance extends Candidate>(
  instances: readonly Instance[],
  demand: Demand,
): Instance | undefined {
  const suitable = instances.filter((instance) => suits(instance, demand));
  if (suitable.length <= 1) return suitable[0];
  const { promptPrefix = '' } = demand;
  return suitable
    .map((instance) => ({
      instance,
      load: instance.requestCount / instance.parallel,
      prefix: Math.max(
        0,
        ...instance.recentPrompts.map((recent) => commonPrefixLength(recent, promptPrefix)),
      ),
    }))
    .toSorted(
      (one, other) =>
        (demand.adapterIds === undefined
          ? Number(one.instance.appliesAdapters) - Number(other.instance.appliesAdapters)
          : 0) ||
        stateOrder[one.instance.state] - stateOrder[other.instance.state] ||
        one.load - other.load ||
        other.instance.contextLength - one.instance.contextLength ||
        other.prefix - one.prefix,
    )[0]?.instance;
}

function suits(instance: Candidate, demand: Demand): boolean {
  if (instance.modelKey !== demand.modelKey || instance.variantId !== demand.variantId)
    return false;
  if (instance.state === 'stopping' || instance.profile !== demand.profile) return false;
  if (demand.adapterIds && !hasAdapters(instance, demand.adapterIds)) return false;
  return demand.contextLength === undefined || instance.contextLength === demand.contextLength;
}

/** The variant's id, with the machine's name if the model is on a linked machine. */
export function placedVariantId({
  model: { machine },
  variant: { id },
}: Pick<ModelSelection, 'model' | 'variant'>): string {
  return machine === undefined ? id : `${id} of ${machine}`;
}

export function hasAdapters(
  { adapterIds }: Pick<InstanceView, 'adapterIds'>,
  wanted: readonly string[],
): boolean {
  return wanted.every((id) => adapterIds.includes(id));
}

/** Length of the common prefix of two texts, in code units. */
export function commonPrefixLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Maximum number of recorded prompts. */
const maxPrompts = 16;

/** Maximum length of a recorded prompt, in code units. */
export const promptKeyLength = 4096;

/** Records the beginnings of the latest prompts of an instance, oldest first. */
export class RecentPrompts {
  readonly #prompts = new Set<string>();

  list(): readonly string[] {
    return [...this.#prompts];
  }

  add(prompt: string): void {
    if (prompt === '') return;
    const key = prompt.slice(0, promptKeyLength);
    this.#prompts.delete(key);
    this.#prompts.add(key);
    const [oldest] = this.#prompts;
    if (this.#prompts.size > maxPrompts && oldest !== undefined) this.#prompts.delete(oldest);
  }
}

import type { ChainEntry } from '../../../library/model-aliases.ts';

/** Outcome of a request's attempt to use an entry. `unsuited`: the model can't take this request. */
export type EntryOutcome = 'busy' | 'failed' | 'unsuited';

/** Facts that decide whether an entry is chosen. */
export interface EntryFacts {
  /** True if the library has a model of the right type. */
  readonly exists: boolean;
  readonly isLoaded: boolean;
  /** True if a request to this model failed a moment ago. */
  readonly hasFailedLately: boolean;
  /** Approximate time that a new request would wait in the model's queue. */
  readonly waitSeconds: number;
  /** Absent if this request has not tried the entry. */
  readonly outcome?: EntryOutcome | undefined;
}

/** Why an entry is passed over. */
export type PassReason = EntryOutcome | 'missing' | 'not_loaded' | 'failed_lately';

interface EntryChoice {
  readonly index: number;
  /** True if no entry meets its conditions, so that this one is used anyway. */
  readonly isLastResort: boolean;
  /** The entries before the chosen one, and all entries that the request has tried. */
  readonly passed: readonly { readonly index: number; readonly reason: PassReason }[];
}

/**
 * Chooses the first entry of a chain that meets its conditions; else the first entry that can still serve the
 * request, since a late answer is better than none. Undefined if there is no such entry.
 */
export function chooseEntry(
  entries: readonly ChainEntry[],
  facts: readonly EntryFacts[],
): EntryChoice | undefined {
  const reasons = entries.map((entry, index) => reasonAgainst(entry, facts[index]));
  const met = reasons.indexOf(undefined);
  const index = met === -1 ? reasons.findIndex(isPassable) : met;
  if (index === -1) return undefined;
  const passed = reasons.flatMap((reason, each) =>
    reason === undefined ||
    each === index ||
    (met !== -1 && each > met && facts[each]?.outcome === undefined)
      ? []
      : [{ index: each, reason }],
  );
  return { index, isLastResort: met === -1, passed };
}

function reasonAgainst(
  { when, maxWaitSeconds = Infinity }: ChainEntry,
  facts: EntryFacts | undefined,
): PassReason | undefined {
  if (facts?.exists !== true) return 'missing';
  if (facts.outcome !== undefined) return facts.outcome;
  if (when === 'loaded' && !facts.isLoaded) return 'not_loaded';
  if (facts.hasFailedLately) return 'failed_lately';
  return facts.waitSeconds > maxWaitSeconds ? 'busy' : undefined;
}

/** True if an entry may be used although it does not meet its conditions. */
function isPassable(reason: PassReason | undefined): boolean {
  return reason === 'busy' || reason === 'not_loaded' || reason === 'failed_lately';
}

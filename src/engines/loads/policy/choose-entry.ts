import type { ChainEntry } from '../../../library/model-aliases.ts';

/** How an attempt of the request with an entry ended. `unsuited`: the model can't take this request. */
export type EntryOutcome = 'busy' | 'failed' | 'unsuited';

/** The facts of an entry when it is chosen. */
export interface EntryFacts {
  /** True if the library has a model of the right type. */
  readonly exists: boolean;
  readonly isLoaded: boolean;
  /** True if a request failed with it a moment ago. */
  readonly hasFailedLately: boolean;
  /** Approximate time that a new request would wait in its queue. */
  readonly waitSeconds: number;
  /** Absent: this request has not tried it. */
  readonly outcome?: EntryOutcome | undefined;
}

/** Why an entry is passed over. */
export type PassReason = EntryOutcome | 'missing' | 'not_loaded' | 'failed_lately';

interface EntryChoice {
  readonly index: number;
  /** True if it is used against its conditions, since no entry meets them. */
  readonly isLastResort: boolean;
  /** The entries before it, and those that the request tried. */
  readonly passed: readonly { readonly index: number; readonly reason: PassReason }[];
}

/**
 * The first entry of a chain that meets its conditions; else the first that this request may still use, since an answer
 * that comes late is better than none. Undefined if there is none.
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

/** True if an entry may be used if no other meets its conditions. */
function isPassable(reason: PassReason | undefined): boolean {
  return reason === 'busy' || reason === 'not_loaded' || reason === 'failed_lately';
}

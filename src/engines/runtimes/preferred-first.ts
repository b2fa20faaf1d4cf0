interface Preference {
  readonly isSelected: boolean;
  readonly isRecommended: boolean;
}

/** Runtimes in the order in which they are preferred: selected, recommended, then in the order of the list. */
export function preferredFirst<Candidate extends Preference>(
  runtimes: readonly Candidate[],
): readonly Candidate[] {
  const rank = ({ isSelected, isRecommended }: Preference): number =>
    isSelected ? 0 : isRecommended ? 1 : 2;
  return runtimes.toSorted((a, b) => rank(a) - rank(b));
}

/** The results of the rounds for each side, in order. */
export interface Interleaved<Result> {
  readonly hearth: readonly Result[];
  readonly other: readonly Result[];
}

/**
 * Measures both sides alternately, round after round, so that other work of the machine affects both equally. The side
 * that begins alternates, too.
 */
export async function interleave<Side, Result>(
  rounds: number,
  sides: { readonly hearth: Side; readonly other: Side },
  measure: (side: Side, round: number) => Promise<Result>,
): Promise<Interleaved<Result>> {
  const results: { hearth: Result[]; other: Result[] } = { hearth: [], other: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['hearth', 'other'] as const) : (['other', 'hearth'] as const);
    for (const name of order) results[name].push(await measure(sides[name], round));
  }
  return results;
}

/** Measures the rounds of Hearth alone, if the other side can't be measured. */
export async function alone<Result>(
  rounds: number,
  measure: () => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  while (results.length < rounds) results.push(await measure());
  return results;
}

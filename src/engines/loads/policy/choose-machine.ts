/**
 * Ratings of a machine for a model, best first. `gpu`: at least a part of the model fits into GPU memory. `memory`:
 * the model fits into main memory. `none`: it does not fit.
 */
export const standings = ['loaded', 'gpu', 'memory', 'none'] as const;
export type Standing = (typeof standings)[number];

/**
 * Returns the index of the machine that should run a model: the first one with the best rating, or 0 if no machine
 * can be reached.
 *
 * @param machines Ratings, beginning with this machine's if it has the model. Undefined: the machine can't be
 *   reached.
 */
export function chooseMachine(machines: readonly (Standing | undefined)[]): number {
  for (const standing of standings) {
    const index = machines.indexOf(standing);
    if (index !== -1) return index;
  }
  return 0;
}

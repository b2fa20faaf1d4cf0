/**
 * Abilities of a machine for a model, best first. `gpu`: at least a part of it fits into GPU
 * memory.
 */
export const standings = ['loaded', 'gpu', 'memory', 'none'] as const;
export type Standing = (typeof standings)[number];

/**
 * The index of the machine that runs a model: where it is loaded, else where it fits, on a GPU before memory, else the
 * first. Of equal ones the first.
 *
 * @param machines This machine first, if it has the model. Undefined: the machine can't be reached.
 */
export function chooseMachine(machines: readonly (Standing | undefined)[]): number {
  for (const standing of standings) {
    const index = machines.indexOf(standing);
    if (index !== -1) return index;
  }
  return 0;
}

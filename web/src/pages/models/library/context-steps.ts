/**
 * Context lengths on a slider: powers of two and the steps halfway between them, from 512 tokens. The last step is
 * always the model's longest context.
 */
export function contextSteps(longest: number): readonly number[] {
  const steps: number[] = [];
  for (let power = 512; power < longest; power *= 2) {
    steps.push(power);
    if (power * 1.5 < longest && power >= 1024) steps.push(power * 1.5);
  }
  return [...steps, longest];
}

/** Index of the step nearest to a context length. */
export function nearestStep(steps: readonly number[], context: number): number {
  const distances = steps.map((step) => Math.abs(step - context));
  return distances.indexOf(Math.min(...distances));
}

/**
 * Contexts that a slider offers: powers of two and the steps halfway between them, from 512 tokens to the longest
 * context of the model, which is always the last.
 */
export function contextSteps(longest: number): readonly number[] {
  const steps: number[] = [];
  for (let power = 512; power < longest; power *= 2) {
    steps.push(power);
    if (power * 1.5 < longest && power >= 1024) steps.push(power * 1.5);
  }
  return [...steps, longest];
}

/** Position of the step that is nearest to a context. */
export function nearestStep(steps: readonly number[], context: number): number {
  const distances = steps.map((step) => Math.abs(step - context));
  return distances.indexOf(Math.min(...distances));
}

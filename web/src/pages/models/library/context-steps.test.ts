import { expect, it } from 'vitest';
import { contextSteps, nearestStep } from './context-steps.ts';

it('ends with the longest context of the model', () => {
  expect(contextSteps(4096)).toEqual([512, 1024, 1536, 2048, 3072, 4096]);
  expect(contextSteps(40_960).slice(-3)).toEqual([24_576, 32_768, 40_960]);
  expect(contextSteps(256)).toEqual([256]);
  expect(contextSteps(1_048_576).length).toBeLessThan(30);
});

it('finds the step nearest to a context', () => {
  const steps = contextSteps(4096);
  expect(steps[nearestStep(steps, 4096)]).toBe(4096);
  expect(steps[nearestStep(steps, 1700)]).toBe(1536);
  expect(steps[nearestStep(steps, 1_000_000)]).toBe(4096);
});

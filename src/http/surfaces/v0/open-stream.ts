import type { GenerationStep } from '../../../chat/generation.ts';

/**
 * Reads up to the first output, so that whatever is wrong before it is answered as an ordinary error with
 * its status, and gives the whole iteration on.
 */
export async function openStream(
  steps: AsyncGenerator<GenerationStep>,
): Promise<AsyncGenerator<GenerationStep>> {
  const ahead: GenerationStep[] = [];
  for (let next = await steps.next(); next.done !== true; next = await steps.next()) {
    ahead.push(next.value);
    if (next.value.type.endsWith('.delta') || next.value.type === 'generation.report') break;
  }
  return resume(ahead, steps);
}

async function* resume(
  ahead: readonly GenerationStep[],
  steps: AsyncGenerator<GenerationStep>,
): AsyncGenerator<GenerationStep> {
  try {
    yield* ahead;
    yield* steps;
  } finally {
    await steps.return(undefined);
  }
}

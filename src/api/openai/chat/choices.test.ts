import { describe, expect, it } from 'vitest';
import { testContext } from '../../../../test/setup/test-context.ts';
import { runChoices } from './choices.ts';

async function* count(to: number): AsyncGenerator<number> {
  for (let value = 0; value < to; value += 1) yield value;
}
const never = new AbortController().signal;
const context = testContext({ signal: never });

describe('choices', () => {
  it('run all, more of them than at a time', async () => {
    const seen: string[] = [];
    for await (const { index, event } of runChoices(20, () => count(2), context)) {
      seen.push(`${index}:${event}`);
    }
    const expected = Array.from({ length: 20 }, (_, index) => [`${index}:0`, `${index}:1`]).flat();
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  it('end with the first failure, which aborts the others', async () => {
    const aborted: number[] = [];
    async function* start(index: number, { signal }: typeof context): AsyncGenerator<number> {
      if (index === 0) throw new Error('broken');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted.push(index);
      yield index;
    }
    const running = runChoices(3, start, context);
    await expect(running.next()).rejects.toThrow('broken');
    expect(aborted).toEqual([1, 2]);
  });

  it('abort when the reader returns', async () => {
    let isAborted = false;
    async function* start(_: number, { signal }: typeof context): AsyncGenerator<number> {
      yield 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      isAborted = true;
    }
    for await (const _ of runChoices(2, start, context)) break;
    expect(isAborted).toBe(true);
  });
});

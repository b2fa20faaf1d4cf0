import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openFrom } from '../../../test/setup/instances/scripted-pool.ts';
import { sizedPool } from '../../../test/setup/models/sized-models.ts';
import { testContext } from '../../../test/setup/test-context.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A pool whose memory is mostly busy: a load of 20 waits, and so does every load behind it. */
async function setUp() {
  const { pool } = sizedPool(['test/d20', 'test/e20', 'test/b10']);
  const busy = await openFrom(pool, 'test/d20');
  const states = () => pool.list().map(({ id, state }) => `${id} ${state}`);
  const settled = (work: Promise<unknown>) =>
    work.then(
      () => 'loaded',
      (error: unknown) => error,
    );
  return { pool, busy, states, settled };
}

it('a queued load by name is given up after the time limit, and the next one begins', async () => {
  const { pool, states, settled } = await setUp();
  const named = settled(pool.load('test/e20', {}, testContext()));
  await vi.advanceTimersByTimeAsync(1000);
  const next = settled(openFrom(pool, 'test/b10'));
  await vi.advanceTimersByTimeAsync(58_999);
  expect(states()).toEqual(['test/d20 ready', 'test/e20 waiting', 'test/b10 waiting']);
  await vi.advanceTimersByTimeAsync(1);
  expect(await named).toMatchObject({
    code: 'out_of_memory',
    retryAfterSeconds: 10,
    message: expect.stringContaining('its turn did not come within 60 s'),
  });
  expect(await next).toBe('loaded');
  expect(states()).toEqual(['test/d20 ready', 'test/b10 ready']);
});

it('a load that began in time is not given up', async () => {
  const { pool, busy, states, settled } = await setUp();
  const named = settled(pool.load('test/e20', {}, testContext()));
  await vi.advanceTimersByTimeAsync(59_999);
  busy.close();
  expect(await named).toBe('loaded');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(states()).toEqual(['test/e20 ready']);
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { postgresFolderVariable } from '../../../test/setup/postgres/store-environment.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';

const none = { requestsPerMinute: null, tokensPerMinute: null };

it('admits the requests of a minute at once, and then as time passes', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...none, requestsPerMinute: 3 };
  const decisions = [];
  for (let count = 0; count < 5; count += 1) decisions.push(await rateLimits.admit('a', limits));
  expect(decisions.map(({ waitMs }) => waitMs === undefined)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(decisions.map(({ requests }) => requests?.remaining)).toEqual([2, 1, 0, 0, 0]);
  expect(decisions[0]?.requests).toMatchObject({ limit: 3 });
  expect(decisions[0]?.tokens).toBeUndefined();
  // A third of a minute brings one back.
  expect(decisions[4]?.waitMs).toBeGreaterThan(10_000);
  expect(decisions[4]?.waitMs).toBeLessThanOrEqual(20_000);
  expect((await rateLimits.admit('b', limits)).waitMs).toBeUndefined();
});

it('admits no more than the limit of many that come at once', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...none, requestsPerMinute: 10 };
  const decisions = await Promise.all(
    Array.from({ length: 40 }, () => rateLimits.admit('a', limits)),
  );
  expect(decisions.filter(({ waitMs }) => waitMs === undefined)).toHaveLength(10);
});

// PostgreSQL has a clock of its own.
it.skipIf(postgresFolderVariable in process.env)(
  'admits requests after the clock was set back',
  async () => {
    const { rateLimits } = await temporaryStore();
    const limits = { ...none, requestsPerMinute: 2 };
    const setClock = shiftedClock();
    setClock(24 * 3600 * 1000);
    await rateLimits.admit('a', limits);
    setClock(0);
    const waits = [];
    for (let count = 0; count < 4; count += 1) {
      waits.push((await rateLimits.admit('a', limits)).waitMs === undefined);
    }
    expect(waits).toEqual([true, true, false, false]);
  },
);

// PostgreSQL has a clock of its own.
it.skipIf(postgresFolderVariable in process.env)(
  'keeps what is left of used tokens after the clock was set back',
  async () => {
    const { rateLimits } = await temporaryStore();
    const limits = { ...none, tokensPerMinute: 1000 };
    const setClock = shiftedClock();
    const hour = 3600 * 1000;
    await rateLimits.admit('a', limits);
    setClock(24 * hour);
    await rateLimits.charge('a', 4000, 1000);
    expect((await rateLimits.admit('a', limits)).waitMs).toBeGreaterThan(170_000);

    setClock(-24 * hour);
    const refused = await rateLimits.admit('a', limits);
    expect(refused.waitMs).toBeGreaterThan(170_000);
    expect(refused.waitMs).toBeLessThanOrEqual(180_000);
    // Time passes as before.
    setClock(-24 * hour + 175_000);
    expect((await rateLimits.admit('a', limits)).waitMs).toBeLessThanOrEqual(10_000);
    setClock(-24 * hour + 181_000);
    expect((await rateLimits.admit('a', limits)).waitMs).toBeUndefined();

    // An answer that ends after the clock was set back.
    setClock(-48 * hour);
    await rateLimits.charge('a', 1500, 1000);
    const { waitMs } = await rateLimits.admit('a', limits);
    expect(waitMs).toBeGreaterThan(25_000);
    expect(waitMs).toBeLessThanOrEqual(90_000);
  },
);

/** Shifts the clock of the store by milliseconds. */
function shiftedClock(): (shiftMs: number) => void {
  const start = performance.timeOrigin;
  const origin = vi.spyOn(performance, 'timeOrigin', 'get');
  onTestFinished(() => origin.mockRestore());
  return (shiftMs) => void origin.mockReturnValue(start + shiftMs);
}

it('refuses requests while more tokens were used than a minute has', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...none, tokensPerMinute: 1000 };
  expect(await rateLimits.admit('a', limits)).toMatchObject({
    tokens: { limit: 1000, remaining: 1000, resetMs: 0 },
  });
  await rateLimits.charge('a', 400, 1000);
  const half = await rateLimits.admit('a', limits);
  expect(half.waitMs).toBeUndefined();
  expect(half.tokens?.remaining).toBeGreaterThanOrEqual(600);
  expect(half.tokens?.remaining).toBeLessThan(1000);
  await rateLimits.charge('a', 1600, 1000);
  const refused = await rateLimits.admit('a', limits);
  expect(refused.tokens?.remaining).toBe(0);
  expect(refused.waitMs).toBeGreaterThan(30_000);
  expect(refused.waitMs).toBeLessThanOrEqual(60_000);
});

it('forgets a token that is deleted', async () => {
  const { rateLimits, tokens } = await temporaryStore();
  const limits = { requestsPerMinute: 1, tokensPerMinute: 5 };
  await rateLimits.admit('a', limits);
  expect((await rateLimits.admit('a', limits)).waitMs).toBeDefined();
  await tokens.delete('a');
  expect((await rateLimits.admit('a', limits)).waitMs).toBeUndefined();
});

it('admits as before after the clock of the machine was set back', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...none, requestsPerMinute: 2 };
  await rateLimits.admit('a', limits);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  try {
    expect(await rateLimits.admit('a', limits)).toMatchObject({ requests: { remaining: 0 } });
    expect((await rateLimits.admit('a', limits)).waitMs).toBeLessThanOrEqual(30_000);
  } finally {
    vi.useRealTimers();
  }
});

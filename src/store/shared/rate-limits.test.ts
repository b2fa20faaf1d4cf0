import { expect, it, onTestFinished, vi } from 'vitest';
import { postgresFolderVariable } from '../../../test/setup/postgres/store-environment.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { noLimits } from './rate-limit-repository.ts';

it('admits the requests of a minute at once, and then as time passes', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerMinute: 3 };
  const decisions = [];
  for (let count = 0; count < 5; count += 1) decisions.push(await rateLimits.admit('a', limits));
  expect(decisions.map(({ refusal }) => refusal === undefined)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(decisions.map(({ states }) => states.requestsPerMinute?.remaining)).toEqual([
    2, 1, 0, 0, 0,
  ]);
  expect(decisions[0]?.states.requestsPerMinute).toMatchObject({ limit: 3 });
  expect(decisions[0]?.states.tokensPerMinute).toBeUndefined();
  // A third of a minute frees one request.
  expect(decisions[4]?.refusal?.waitMs).toBeGreaterThan(10_000);
  expect(decisions[4]?.refusal?.waitMs).toBeLessThanOrEqual(20_000);
  expect((await rateLimits.admit('b', limits)).refusal).toBeUndefined();
});

it('admits no more than the limit of many that come at once', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerMinute: 10 };
  const decisions = await Promise.all(
    Array.from({ length: 40 }, () => rateLimits.admit('a', limits)),
  );
  expect(decisions.filter(({ refusal }) => refusal === undefined)).toHaveLength(10);
});

// PostgreSQL has a clock of its own.
it.skipIf(postgresFolderVariable in process.env)(
  'admits requests after the clock was set back',
  async () => {
    const { rateLimits } = await temporaryStore();
    const limits = { ...noLimits, requestsPerMinute: 2 };
    const setClock = shiftedClock();
    setClock(24 * 3600 * 1000);
    await rateLimits.admit('a', limits);
    setClock(0);
    const waits = [];
    for (let count = 0; count < 4; count += 1) {
      waits.push((await rateLimits.admit('a', limits)).refusal === undefined);
    }
    expect(waits).toEqual([true, true, false, false]);
  },
);

// PostgreSQL has a clock of its own.
it.skipIf(postgresFolderVariable in process.env)(
  'keeps what is left of used tokens after the clock was set back',
  async () => {
    const { rateLimits } = await temporaryStore();
    const limits = { ...noLimits, tokensPerMinute: 1000 };
    const setClock = shiftedClock();
    const hour = 3600 * 1000;
    await rateLimits.admit('a', limits);
    setClock(24 * hour);
    await rateLimits.charge('a', 4000, limits);
    expect((await rateLimits.admit('a', limits)).refusal?.waitMs).toBeGreaterThan(170_000);

    setClock(-24 * hour);
    const refused = await rateLimits.admit('a', limits);
    expect(refused.refusal?.waitMs).toBeGreaterThan(170_000);
    expect(refused.refusal?.waitMs).toBeLessThanOrEqual(180_000);
    // From here on, the clock runs normally.
    setClock(-24 * hour + 175_000);
    expect((await rateLimits.admit('a', limits)).refusal?.waitMs).toBeLessThanOrEqual(10_000);
    setClock(-24 * hour + 181_000);
    expect((await rateLimits.admit('a', limits)).refusal).toBeUndefined();

    // An answer that ends after the clock was set back.
    setClock(-48 * hour);
    await rateLimits.charge('a', 1500, limits);
    const { refusal } = await rateLimits.admit('a', limits);
    expect(refusal?.waitMs).toBeGreaterThan(25_000);
    expect(refusal?.waitMs).toBeLessThanOrEqual(90_000);
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
  const limits = { ...noLimits, tokensPerMinute: 1000 };
  expect(await rateLimits.admit('a', limits)).toMatchObject({
    states: { tokensPerMinute: { limit: 1000, remaining: 1000, resetMs: 0 } },
  });
  await rateLimits.charge('a', 400, limits);
  const half = await rateLimits.admit('a', limits);
  expect(half.refusal).toBeUndefined();
  expect(half.states.tokensPerMinute?.remaining).toBeGreaterThanOrEqual(600);
  expect(half.states.tokensPerMinute?.remaining).toBeLessThan(1000);
  await rateLimits.charge('a', 1600, limits);
  const refused = await rateLimits.admit('a', limits);
  expect(refused.states.tokensPerMinute?.remaining).toBe(0);
  expect(refused.refusal?.waitMs).toBeGreaterThan(30_000);
  expect(refused.refusal?.waitMs).toBeLessThanOrEqual(60_000);
});

it('forgets a token that is deleted', async () => {
  const { rateLimits, tokens } = await temporaryStore();
  const limits = { ...noLimits, requestsPerMinute: 1, tokensPerMinute: 5 };
  await rateLimits.admit('a', limits);
  expect((await rateLimits.admit('a', limits)).refusal).toBeDefined();
  await tokens.delete('a');
  expect((await rateLimits.admit('a', limits)).refusal).toBeUndefined();
});

it('admits as before after the clock of the machine was set back', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerMinute: 2 };
  await rateLimits.admit('a', limits);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  try {
    expect(await rateLimits.admit('a', limits)).toMatchObject({
      states: { requestsPerMinute: { remaining: 0 } },
    });
    expect((await rateLimits.admit('a', limits)).refusal?.waitMs).toBeLessThanOrEqual(30_000);
  } finally {
    vi.useRealTimers();
  }
});

const hour = 3600 * 1000;

it('admits the requests of a day, and says when the next one begins', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerMinute: 100, requestsPerDay: 3 };
  const decisions = [];
  for (let count = 0; count < 5; count += 1) decisions.push(await rateLimits.admit('a', limits));
  expect(decisions.map(({ states }) => states.requestsPerDay?.remaining)).toEqual([2, 1, 0, 0, 0]);
  expect(decisions[2]?.refusal).toBeUndefined();
  const { states, refusal } = await rateLimits.admit('a', limits);
  expect(refusal).toMatchObject({ by: 'requestsPerDay' });
  expect(refusal?.waitMs).toBeLessThanOrEqual(24 * hour);
  const midnight = new Date(Date.now() + (refusal?.waitMs ?? 0) + hour / 2);
  expect(midnight.getUTCHours()).toBe(0);
  expect(states.requestsPerMinute?.remaining).toBeGreaterThan(90);
  expect((await rateLimits.admit('b', limits)).refusal).toBeUndefined();
});

it('admits no more than the requests of a day of many that come at once', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerDay: 10 };
  const decisions = await Promise.all(
    Array.from({ length: 40 }, () => rateLimits.admit('a', limits)),
  );
  expect(decisions.filter(({ refusal }) => refusal === undefined)).toHaveLength(10);
});

it('refuses requests once the tokens of a day were used', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, tokensPerDay: 2 ** 35 };
  await rateLimits.charge('a', 2 ** 34, limits);
  expect(await rateLimits.admit('a', limits)).toEqual({
    states: {
      tokensPerDay: { limit: 2 ** 35, remaining: 2 ** 34, resetMs: expect.any(Number) },
    },
  });
  await rateLimits.charge('a', 2 ** 35, limits);
  expect(await rateLimits.admit('a', limits)).toMatchObject({
    states: { tokensPerDay: { remaining: 0 } },
    refusal: { by: 'tokensPerDay' },
  });
});

it('names the limit that lasts longest', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerMinute: 1, tokensPerMinute: 10, requestsPerDay: 5 };
  await rateLimits.admit('a', limits);
  expect((await rateLimits.admit('a', limits)).refusal?.by).toBe('requestsPerMinute');
  await rateLimits.charge('a', 100, limits);
  expect((await rateLimits.admit('a', limits)).refusal?.by).toBe('tokensPerMinute');
});

// PostgreSQL has a clock of its own.
it.skipIf(postgresFolderVariable in process.env)('begins a new count on the next day', async () => {
  const { rateLimits } = await temporaryStore();
  const limits = { ...noLimits, requestsPerDay: 1, tokensPerDay: 10 };
  const setClock = shiftedClock();
  await rateLimits.admit('a', limits);
  await rateLimits.charge('a', 10, limits);
  expect((await rateLimits.admit('a', limits)).refusal).toBeDefined();
  setClock(24 * hour);
  expect((await rateLimits.admit('a', limits)).states).toMatchObject({
    requestsPerDay: { remaining: 0 },
    tokensPerDay: { remaining: 10 },
  });
  // An answer that began before midnight.
  setClock(48 * hour);
  await rateLimits.charge('a', 4, limits);
  expect((await rateLimits.admit('a', limits)).states.tokensPerDay?.remaining).toBe(6);
});

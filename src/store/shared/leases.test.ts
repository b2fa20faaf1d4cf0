import { expect, it } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { LeaseRepository } from './lease-repository.ts';

const minuteMs = 60_000;

it('gives a lease to one holder until it ends or is released', async () => {
  const { leases } = await temporaryStore();
  expect(await leases.acquire('job', 'one', minuteMs)).toBe(true);
  expect(await leases.acquire('job', 'two', minuteMs)).toBe(false);
  expect(await leases.acquire('job', 'one', minuteMs)).toBe(true);
  await leases.release('job', 'two');
  expect(await leases.acquire('job', 'two', minuteMs)).toBe(false);
  await leases.release('job', 'one');
  expect(await leases.acquire('job', 'two', -1)).toBe(true);
  // It has ended.
  expect(await leases.acquire('job', 'one', minuteMs)).toBe(true);
});

it('gives a lease to one of many that ask at once', async () => {
  const { leases } = await temporaryStore();
  const attempts = Array.from({ length: 20 }, (_, index) =>
    leases.acquire('job', `holder ${index}`, minuteMs),
  );
  expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
});

it('renews those that no other process has taken', async () => {
  const { leases } = await temporaryStore();
  await leases.acquire('a', 'one', -1);
  await leases.acquire('b', 'one', -1);
  await leases.acquire('b', 'two', minuteMs);
  expect(await leases.renew(['a', 'b', 'c'], 'one', minuteMs)).toEqual(new Set(['a']));
  expect(await leases.acquire('a', 'two', minuteMs)).toBe(false);
  expect(await leases.renew([], 'one', minuteMs)).toEqual(new Set());
});

it('keeps the leases of a process, and tells when one is lost', async () => {
  const { leases } = await temporaryStore();
  const keeper = new LeaseKeeper({
    leases,
    holder: 'one',
    onError: () => {},
    durationMs: 50,
    renewMs: 5,
  });
  const kept = await keeper.take('kept');
  expect(await keeper.take('kept')).toBeUndefined();
  const lost = await keeper.take('lost');
  await leases.release('lost', 'one');
  await leases.acquire('lost', 'two', minuteMs);
  await expect.poll(() => lost?.lost.aborted).toBe(true);
  expect(kept?.lost.aborted).toBe(false);
  expect(await leases.acquire('kept', 'two', minuteMs)).toBe(false);
  await lost?.release();
  expect(await keeper.take('lost')).toBeUndefined();
  await kept?.release();
  await kept?.release();
  expect(await leases.acquire('kept', 'two', minuteMs)).toBe(true);
  await keeper.close();
});

it('reports a database that is away, and continues', async () => {
  const errors: unknown[] = [];
  const leases = {
    acquire: () => Promise.resolve(true),
    renew: () => Promise.reject(new Error('away')),
    release: () => Promise.reject(new Error('away')),
    removeEnded: () => Promise.resolve(),
  };
  const onError = (error: unknown) => void errors.push(error);
  const keeper = new LeaseKeeper({ leases, holder: 'one', onError, renewMs: 1 });
  const lease = await keeper.take('job');
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(lease?.lost.aborted).toBe(false);
  await lease?.release();
  await keeper.close();
});

it('does not give back a lease that was lost and taken again', async () => {
  const { leases } = await temporaryStore();
  const keeper = new LeaseKeeper({ leases, holder: 'one', onError: () => {}, renewMs: 5 });
  const first = await keeper.take('job');
  await leases.release('job', 'one');
  await expect.poll(() => first?.lost.aborted).toBe(true);
  const second = await keeper.take('job');
  await first?.release();
  expect(await leases.acquire('job', 'two', minuteMs)).toBe(false);
  await second?.release();
  await keeper.close();
});

it('leaves the leases of a process that stops to others once they end', async () => {
  const { leases } = await temporaryStore();
  const keeper = new LeaseKeeper({ leases, holder: 'one', onError: () => {}, durationMs: 60 });
  await keeper.take('job');
  await keeper.close();
  await expect.poll(() => leases.acquire('job', 'two', minuteMs)).toBe(true);
});

it('forgets the leases that ended long ago', async () => {
  const { leases } = await temporaryStore();
  await leases.acquire('old', 'one', -25 * 60 * minuteMs);
  await leases.acquire('recent', 'one', -23 * 60 * minuteMs);
  await leases.removeEnded();
  expect(await leases.renew(['old', 'recent'], 'one', minuteMs)).toEqual(new Set(['recent']));
});

it('can take a lease after the database was away', async () => {
  const { leases } = await temporaryStore();
  let isAway = true;
  const acquire: typeof leases.acquire = async (...parameters) => {
    if (isAway) throw new Error('away');
    return leases.acquire(...parameters);
  };
  const keeper = new LeaseKeeper({
    leases: { ...leases, acquire },
    holder: 'one',
    onError: () => {},
  });
  await expect(keeper.take('job')).rejects.toThrow('away');
  isAway = false;
  expect(await keeper.take('job')).toBeDefined();
  await keeper.close();
});

it('does not lose a lease that is renewed while it is taken', async () => {
  const { leases } = await temporaryStore();
  const isAsked = deferred<void>();
  const go = deferred<void>();
  let renewals = 0;
  const slow: LeaseRepository = {
    ...leases,
    acquire: async (...options) => {
      if (options[0] === 'slow') {
        isAsked.resolve();
        await go.promise;
      }
      return leases.acquire(...options);
    },
    renew: async (...options) => {
      const kept = await leases.renew(...options);
      renewals += 1;
      return kept;
    },
  };
  const keeper = new LeaseKeeper({ leases: slow, holder: 'one', onError: () => {}, renewMs: 5 });
  await keeper.take('other');
  const taking = keeper.take('slow');
  await isAsked.promise;
  expect(await keeper.take('slow')).toBeUndefined();
  const before = renewals;
  await expect.poll(() => renewals).toBeGreaterThan(before + 1);
  go.resolve();
  const lease = await taking;
  expect(lease?.lost.aborted).toBe(false);
  await keeper.close();
});

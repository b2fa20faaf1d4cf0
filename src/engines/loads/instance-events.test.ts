import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { openFrom } from '../../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { sizedPool } from '../../../test/setup/models/sized-models.ts';
import type { EngineLost } from './refusal.ts';
import type { ServerEvent } from '../../kernel/events/server-event.ts';

function setUp(options: Parameters<typeof sizedPool>[1] = {}) {
  const events: ServerEvent[] = [];
  const publish = (event: ServerEvent): void => void events.push(event);
  const { pool, launcher } = sizedPool(['test/a10', 'test/b30'], {
    events: { publish },
    ...options,
  });
  const acquire = (id: string) => openFrom(pool, id);
  return { pool, launcher, acquire, events };
}

const subject = { instanceId: 'test/a10', model: 'test/a10' };

it('follow a load, its progress and its end', async () => {
  const { launcher, acquire, events, pool } = setUp();
  launcher.onLaunch = async (_spec, onProgress) => onProgress(0.5);
  const lease = await acquire('test/a10');
  lease.close();
  await pool.unload('test/a10');
  expect(events).toEqual([
    { type: 'instance.loading', ...subject, estimatedBytes: 10 },
    { type: 'instance.progress', ...subject, fraction: 0.5 },
    { type: 'instance.ready', ...subject, loadTimeSeconds: expect.any(Number) as number },
    {
      type: 'instance.unloaded',
      ...subject,
      reason: 'test/a10 was unloaded while it worked on this request.',
    },
  ]);
});

it('say that a load waits, and which instance left for it', async () => {
  const { acquire, events } = setUp();
  const busy = await acquire('test/a10');
  events.length = 0;
  const waiting = acquire('test/b30');
  await vi.waitFor(() => expect(events).toHaveLength(1));
  busy.close();
  await waiting;
  const next = { instanceId: 'test/b30', model: 'test/b30' };
  const reason = 'test/a10 was unloaded to make room for another model.';
  expect(events).toEqual([
    { type: 'instance.queued', ...next, estimatedBytes: 30 },
    { type: 'instance.evicted', ...subject, cause: 'memory', reason },
    { type: 'instance.unloaded', ...subject, reason },
    { type: 'instance.loading', ...next, estimatedBytes: 30 },
    { type: 'instance.ready', ...next, loadTimeSeconds: expect.any(Number) as number },
  ]);
});

it('end a load that waits and is unloaded', async () => {
  const { pool, acquire, events } = setUp();
  await acquire('test/a10');
  const waiting = acquire('test/b30');
  await vi.waitFor(() => expect(pool.list()).toHaveLength(2));
  events.length = 0;
  const outcome = waiting.catch((error: unknown) => error);
  await pool.unload('test/b30');
  expect(await outcome).toMatchObject({ code: 'unloaded' });
  expect(pool.list().map(({ id }) => id)).toEqual(['test/a10']);
  expect(events.map(({ type }) => type)).toEqual(['instance.unloaded']);
});

it('have the error of a load that fails', async () => {
  const { launcher, acquire, events } = setUp();
  launcher.onLaunch = () => Promise.reject(new Error('a bug'));
  await expect(acquire('test/a10')).rejects.toMatchObject({ code: 'internal' });
  expect(events.at(-1)).toEqual({
    type: 'instance.failed',
    ...subject,
    error: {
      code: 'internal',
      message: 'Loading test/a10 failed; the log of the server has the details.',
    },
  });
});

it.each(['crash', 'outgrow'] as const)('tell a crash from the memory guard: %s', async (end) => {
  const { launcher, acquire, events, pool } = setUp();
  const lease = await acquire('test/a10');
  launcher.processes[0]?.[end]('too large');
  await vi.waitFor(() => expect(pool.list()).toEqual([]));
  expect(events.at(-1)).toEqual({
    type: 'instance.crashed',
    ...subject,
    cause: end === 'crash' ? 'crash' : 'memory_guard',
    reason: 'too large',
  });
  const hint = end === 'crash' ? '' : '. Send the request again, or a smaller one.';
  expect(lease.lease.context.signal.reason).toMatchObject({
    message: `The engine of test/a10 stopped: too large${hint}`,
    isRepeatable: end === 'outgrow',
  });
});

it('take the request that began last for the cause of an engine that outgrew its memory', async () => {
  const { launcher, acquire, pool } = setUp({ defaults: { contextLength: 2048, parallel: 4 } });
  const leases = [];
  for (let count = 0; count < 4; count += 1) leases.push(await acquire('test/a10'));
  const endings: Promise<void>[] = [];
  for (const index of [2, 0, 1]) {
    const lease = leases[index];
    if (lease === undefined) throw new Error('no lease');
    const begun = deferred<void>();
    const work = lease.withPlace(async (_, { signal }) => {
      begun.resolve();
      await once(signal, 'abort');
    });
    endings.push(work);
    await begun.promise;
  }
  launcher.processes[0]?.outgrow('too large');
  await vi.waitFor(() => expect(pool.list()).toEqual([]));
  await Promise.all(endings);
  const reasons = leases.map(({ lease }) => lease.signal.reason as EngineLost);
  expect(reasons.map(({ isRepeatable }) => isRepeatable)).toEqual([true, false, true, true]);
});

it('do not mention a load that is refused at once', async () => {
  const { events, pool } = setUp();
  await pool.load('test/a10', {}, testContext());
  const before = events.length;
  await expect(pool.load('test/b30', {}, testContext())).rejects.toMatchObject({
    code: 'out_of_memory',
  });
  expect(events).toHaveLength(before);
});

it('do not report the exit of an engine that was stopped as a crash', async () => {
  const { launcher, acquire, events, pool } = setUp();
  const stopped = deferred<void>();
  launcher.onStop = () => stopped.promise;
  (await acquire('test/a10')).close();
  const unloading = pool.unload('test/a10');
  launcher.processes[0]?.crash('killed');
  stopped.resolve();
  await unloading;
  expect(events.map(({ type }) => type)).not.toContain('instance.crashed');
});

it('say that a load was cancelled by its last request', async () => {
  const { launcher, events, pool } = setUp();
  launcher.onLaunch = async (_spec, _onProgress, signal) => void (await once(signal, 'abort'));
  const caller = new AbortController();
  const waiting = openFrom(pool, 'test/a10', { signal: caller.signal });
  await vi.waitFor(() => expect(pool.list()).toHaveLength(1));
  caller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await vi.waitFor(() => expect(pool.list()).toEqual([]));
  await vi.waitFor(() =>
    expect(events.at(-1)).toEqual({
      type: 'instance.unloaded',
      ...subject,
      reason: 'Loading test/a10 was cancelled.',
    }),
  );
});

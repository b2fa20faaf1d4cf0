import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openFrom } from '../../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { sizedPool, sizeOf } from '../../../test/setup/models/sized-models.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { LaunchSpec } from '../launch/launch.ts';
import type { EngineHandle } from '../engine.ts';
import type { Session } from '../session.ts';
import type { InstanceSummary } from './instance-summary.ts';
import type { InstanceConfig } from './load-options.ts';

const names = ['test/a10', 'test/b10', 'test/c14', 'test/d20', 'test/e28', 'test/embed6'] as const;
const pinned = 'test/b10';
const limitBytes = 30;

const model = fc.constantFrom(...names);
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('request' as const), model }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('finish' as const), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('load' as const), model }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unload' as const), index: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), index: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ticks: fc.nat(6) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const settings = fc.record({
  keepsOnlyLast: fc.boolean(),
  maxLoaded: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  loadQueueCapacity: fc.constantFrom(1, 100),
  queueCapacity: fc.constantFrom(1, 100),
  /** Durations of launches and stops in ticks, used in rotation. */
  delays: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
  /** Every nth launch fails; 0: no launch fails. */
  failsEvery: fc.constantFrom(0, 3),
});
type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const clientLeft = new Error('the client left');

/** Identifies an instance by its configuration, an object that no other instance has. */
type Identity = InstanceConfig;

function assertHolds(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** The real pool, driven one operation at a time. */
class Run {
  readonly #settings: Settings;
  readonly #driven;
  readonly #clients: AbortController[] = [];
  readonly #handles = new Map<Identity, EngineHandle>();
  readonly #leases: { readonly lease: Session; readonly instance: Identity | undefined }[] = [];
  /** Instances that the sequence itself unloaded or crashed. */
  readonly #ended = new Set<Identity>();
  /** Instances that were loaded by name or are pinned, and so must stay. */
  readonly #kept = new Map<Identity, string>();
  /** Launches in progress. */
  readonly #running = new Set<LaunchSpec>();
  #delayCount = 0;
  pendingCount = 0;

  constructor(chosen: Settings) {
    this.#settings = chosen;
    const { delays: _delays, failsEvery, ...options } = chosen;
    this.#driven = sizedPool(names, {
      ...options,
      pinned: [pinned],
      memoryLimitBytes: limitBytes,
      loadWaitSeconds: 3600,
    });
    const { launcher, loader } = this.#driven;
    const launch = launcher.launch.bind(launcher);
    launcher.launch = async (spec, signal, onProgress) => {
      this.#running.add(spec);
      try {
        const process = await launch(spec, signal, onProgress);
        void process.closed.finally(() => this.#running.delete(spec));
        return process;
      } catch (error) {
        this.#running.delete(spec);
        throw error;
      }
    };
    const load = loader.load.bind(loader);
    loader.load = async (spec, signal, onProgress) => {
      const handle = await load(spec, signal, onProgress);
      this.#handles.set(spec.config, handle);
      return handle;
    };
    launcher.onStop = () => this.#delay();
    launcher.onLaunch = async () => {
      const isToFail = failsEvery > 0 && launcher.launchCount() % failsEvery === 0;
      await this.#delay();
      if (isToFail) throw new HearthError('engine_exited', 'It failed, as it should.');
    };
  }

  get pool() {
    return this.#driven.pool;
  }

  get hasLeases(): boolean {
    return this.#leases.length > 0;
  }

  do(each: Operation): void | Promise<void> {
    switch (each.kind) {
      case 'request':
        return this.#request(each.model);
      case 'finish':
        return this.finish(each.index);
      case 'leave':
        return this.#clients[each.index]?.abort(clientLeft);
      case 'load':
        return void this.#track(this.pool.load(each.model, {}, testContext()));
      case 'unload': {
        const instance = this.pool.list()[each.index];
        if (instance === undefined) return;
        this.#ended.add(instance.config);
        return void this.#track(this.pool.unload(instance.id));
      }
      case 'crash': {
        const instance = this.pool.list()[each.index];
        if (instance === undefined) return;
        const handle = this.#handles.get(instance.config);
        const process = this.#driven.launcher.processes.find((one) => one === handle);
        if (process === undefined) return;
        this.#ended.add(instance.config);
        return process.crash('it crashed, as it should');
      }
      case 'wait':
        return this.settle(each.ticks);
    }
  }

  finish(index: number): void {
    const [held] = this.#leases.splice(index % Math.max(1, this.#leases.length), 1);
    held?.lease.close();
  }

  async settle(ticks: number): Promise<void> {
    for (let count = 0; count < ticks; count += 1) {
      await tick();
      this.check();
    }
  }

  /** @throws Error with the violated invariant. */
  check(): void {
    const { reservedBytes } = this.pool.memory();
    const runningBytes = [...this.#running].reduce((sum, spec) => sum + sizeOf(spec.modelPath), 0);
    assertHolds(reservedBytes <= limitBytes, `${reservedBytes} bytes are reserved`);
    assertHolds(
      runningBytes <= reservedBytes,
      `${runningBytes} run, ${reservedBytes} are reserved`,
    );
    const most = this.#settings.maxLoaded ?? Infinity;
    assertHolds(this.#running.size <= most, `${this.#running.size} engines run`);
    const loaded = this.pool.list().filter(({ state }) => state !== 'waiting');
    for (const { lease, instance } of this.#leases) {
      const isEnded = instance !== undefined && this.#ended.has(instance);
      assertHolds(
        isEnded || !lease.lease.context.signal.aborted,
        `a request on ${lease.lease.instance.id} was interrupted`,
      );
    }
    for (const instance of loaded) {
      const isKept = instance.isExplicit || instance.isPinned;
      if (isKept && instance.state === 'ready') this.#kept.set(instance.config, instance.id);
    }
    for (const [identity, id] of this.#kept) {
      const isThere = loaded.some(({ config }) => config === identity) || this.#ended.has(identity);
      assertHolds(isThere, `${id} should have stayed`);
    }
  }

  #request(key: string): void {
    const client = new AbortController();
    this.#clients.push(client);
    const purpose = key.startsWith('test/embed') ? 'embedding' : 'generation';
    const clientKey = `client ${this.#clients.length % 3}`;
    let instance: InstanceSummary | undefined;
    const onOpen = ({ lease }: Session): void => {
      const instanceId = lease.instance.id;
      instance = this.pool.list().find(({ id }) => id === instanceId);
    };
    const acquire = async (): Promise<void> => {
      const { signal } = client;
      const lease = await openFrom(this.pool, key, { clientKey, signal, onOpen }, purpose);
      // A request whose client has disconnected releases its lease itself.
      if (signal.aborted) lease.close();
      else this.#leases.push({ lease, instance: instance?.config });
      signal.addEventListener('abort', () => {
        const index = this.#leases.findIndex((held) => held.lease === lease);
        if (index >= 0) this.finish(index);
      });
    };
    void this.#track(acquire());
  }

  /** Accepts every end except an unexpected error. */
  async #track(work: Promise<unknown>): Promise<void> {
    this.pendingCount += 1;
    try {
      await work;
    } catch (error) {
      const isClear = error instanceof HearthError && error.code !== 'internal';
      if (!isClear && error !== clientLeft) throw error;
    } finally {
      this.pendingCount -= 1;
    }
  }

  async #delay(): Promise<void> {
    const { delays } = this.#settings;
    const ticks = delays[this.#delayCount++ % delays.length] ?? 0;
    for (let count = 0; count < ticks; count += 1) await tick();
  }
}

it('stays within its limits, never interrupts a running request, and serves or rejects every request', async () => {
  const sequence = fc.array(operation, { minLength: 5, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(settings, sequence, async (chosen, operations) => {
      const run = new Run(chosen);
      for (const each of operations) {
        await run.do(each);
        run.check();
      }
      for (let round = 0; run.pendingCount > 0 || run.hasLeases; round += 1) {
        expect(round, 'a request never ends').toBeLessThan(1000);
        run.finish(0);
        await run.settle(1);
      }
      await run.settle(20);
      for (const instance of run.pool.list()) {
        expect(instance).toMatchObject({
          state: 'ready',
          requestCount: 0,
          activeRequests: 0,
          queuedRequests: 0,
        });
      }
      await run.pool.close();
      expect(run.pool.memory().reservedBytes).toBe(0);
    }),
    { numRuns: Number(process.env['HEARTH_TEST_RUNS'] ?? 200) },
  );
}, 120_000);

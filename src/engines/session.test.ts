import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { collect } from '../../test/setup/collect.ts';
import { deferred } from '../../test/setup/deferred.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { openFrom, libraryOf, scriptedPoolWith } from '../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Session } from './session.ts';

const model = 'test/model';

/** An instance with one slot. */
async function setUp() {
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(modelEntry()),
    defaults: { contextLength: 2048, parallel: 1 },
  });
  const acquire = (options: Parameters<typeof openFrom>[2] = {}) => openFrom(pool, model, options);
  const usage = () => {
    const [instance] = pool.list();
    return [instance?.requestCount, instance?.activeRequests, instance?.queuedRequests];
  };
  return { pool, launcher, acquire, usage };
}

/** Occupies a slot until the returned function is called. */
async function occupy(lease: Session): Promise<() => Promise<void>> {
  const started = deferred<void>();
  const finish = deferred<void>();
  const work = lease.withPlace(async () => {
    started.resolve();
    await finish.promise;
  });
  await started.promise;
  return async () => {
    finish.resolve();
    await work;
  };
}

describe('a long prompt', () => {
  const prompt = (text: string) => ({ kind: 'completion', prompt: text, sampling: {} }) as const;

  it('gives the slot away while a long prompt is counted', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    // The engine counts each character as a token.
    const admitting = lease.generate(prompt('a'.repeat(70_000))).next();
    expect(usage()).toEqual([1, 0, 0]);
    const other = await acquire({ clientKey: 'other' });
    await expect(admitting).rejects.toMatchObject({ code: 'context_length_exceeded' });
    other.close();
    lease.close();
    expect(usage()).toEqual([0, 0, 0]);
  });

  it('keeps the slot for a short prompt', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    await lease.generate(prompt('a'.repeat(1000))).next();
    expect(usage()).toEqual([1, 1, 0]);
    lease.close();
  });
});

describe('counting before a generation', () => {
  const long = 'a'.repeat(70_000);

  it('gives the slot away for a prompt that a client wants to count', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    const counting = lease.countPrompt({
      kind: 'chat',
      messages: [{ role: 'user', content: 'Hi' }],
      sampling: {},
    });
    expect(usage()).toEqual([1, 0, 0]);
    // The engine counts each message as a token.
    expect(await counting).toBe(1);
    lease.close();
  });

  it('gives the slot away for long inputs, and keeps it for short ones', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    const short = ['one', [1, 2]];
    const embedding = lease.embed(short);
    expect(usage()).toEqual([1, 1, 0]);
    expect((await embedding).vectors).toEqual([
      [1, 0],
      [1, 0],
    ]);
    const next = await acquire();
    const admitting = next.embed([long]);
    expect(usage()).toEqual([2, 0, 0]);
    await expect(admitting).rejects.toMatchObject({ code: 'context_length_exceeded' });
    next.close();
    lease.close();
  });

  it('works between two generations, when there is no slot to give away', async () => {
    const { acquire } = await setUp();
    const lease = await acquire();
    await lease.withPlace(async () => {});
    await expect(
      lease.generate({ kind: 'completion', prompt: long, sampling: {} }).next(),
    ).rejects.toMatchObject({ code: 'context_length_exceeded' });
    lease.close();
  });
});

describe('withPlace', () => {
  it('keeps the error of the work if the instance is unloaded at the same time', async () => {
    const { acquire, pool } = await setUp();
    const lease = await acquire();
    const work = lease.withPlace(async () => {
      void pool.unload(model);
      throw new HearthError('invalid_value', 'Bad schema.');
    });
    await expect(work).rejects.toMatchObject({ code: 'invalid_value' });
    expect(lease.lease.context.signal.reason).toMatchObject({ code: 'unloaded' });
  });

  it('uses the acquired slot and releases it after the work', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    expect(usage()).toEqual([1, 1, 0]);
    const tokens = await lease.withPlace(async (engine, context) => {
      expect(usage()).toEqual([1, 1, 0]);
      return engine.countTokens('four', context);
    });
    expect(tokens).toBe(4);
    expect(usage()).toEqual([1, 0, 0]);
    lease.close();
    expect(usage()).toEqual([0, 0, 0]);
  });

  it('waits for a slot on the second call, ahead of a request that has not begun', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    await lease.withPlace(async () => {});
    const other = await acquire({ clientKey: 'other' });
    const order: string[] = [];
    const comeNew = async (): Promise<void> => {
      const third = await acquire({ clientKey: 'fresh' });
      order.push('fresh');
      third.close();
    };
    const fresh = comeNew();
    await vi.waitFor(() => expect(usage()).toEqual([3, 1, 1]));
    const request = { kind: 'completion', prompt: 'Once', sampling: {} } as const;
    const again = collect(lease.generate(request)).then(() => order.push('again'));
    await vi.waitFor(() => expect(usage()).toEqual([3, 1, 2]));
    other.close();
    await Promise.all([again, fresh]);
    expect(order).toEqual(['again', 'fresh']);
    lease.close();
    expect(usage()).toEqual([0, 0, 0]);
  });

  it('releases the slot if the work fails, and can be called again', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    await expect(lease.withPlace(() => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    expect(usage()).toEqual([1, 0, 0]);
    await expect(lease.withPlace(async () => 'worked')).resolves.toBe('worked');
    expect(usage()).toEqual([1, 0, 0]);
  });

  it('throws the reason of a signal that aborts before or during the wait', async () => {
    const { acquire, usage } = await setUp();
    const client = new AbortController();
    const lease = await acquire({ signal: client.signal });
    await lease.withPlace(async () => {});
    const other = await acquire();
    const waiting = lease.withPlace(async () => 'never');
    client.abort(new Error('client left'));
    await expect(waiting).rejects.toThrow('client left');
    await expect(lease.withPlace(async () => 'never')).rejects.toThrow('client left');
    lease.close();
    other.close();
    expect(usage()).toEqual([0, 0, 0]);
  });

  it('rejects a released lease', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    lease.close();
    await expect(lease.withPlace(async () => 'never')).rejects.toThrow('released');
    expect(usage()).toEqual([0, 0, 0]);
  });
});

describe('release', () => {
  it('leaves no listener on the signal of the request', async () => {
    const { acquire } = await setUp();
    const { signal } = new AbortController();
    const lease = await acquire({ signal });
    const listeners = () => getEventListeners(signal, 'abort').length;
    expect(listeners()).toBeGreaterThan(0);
    lease.close();
    expect(listeners()).toBe(0);
  });

  it('aborts running work and frees each slot once', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    const finish = await occupy(lease);
    lease.close();
    lease.close();
    expect(lease.lease.context.signal.aborted).toBe(true);
    expect(usage()).toEqual([0, 0, 0]);
    const next = await acquire();
    await finish();
    expect(usage()).toEqual([1, 1, 0]);
    next.close();
    expect(usage()).toEqual([0, 0, 0]);
  });

  it('frees a slot that is assigned at the same time', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    await lease.withPlace(async () => {});
    const other = await acquire();
    const again = lease.withPlace(async () => 'never');
    other.close();
    lease.close();
    await expect(again).rejects.toThrow('released');
    expect(usage()).toEqual([0, 0, 0]);
  });
});

describe('generate', () => {
  const request = { kind: 'completion', prompt: 'Once', sampling: {} } as const;
  const types = ['prompt.start', 'content.delta', 'generation.report'];

  it('keeps its place from the first event to the last', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    const seen: string[] = [];
    for await (const { type } of lease.generate(request)) {
      seen.push(type);
      expect(usage()).toEqual([1, 1, 0]);
    }
    expect(seen).toEqual(types);
    expect(usage()).toEqual([1, 0, 0]);
  });

  it('gives its place back if the reader stops, and can be called again', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    for await (const { type } of lease.generate(request)) if (type === 'content.delta') break;
    expect(usage()).toEqual([1, 0, 0]);
    const seen: string[] = [];
    for await (const { type } of lease.generate(request)) seen.push(type);
    expect(seen).toEqual(types);
  });

  it('takes no place until the first read', async () => {
    const { acquire, usage } = await setUp();
    const lease = await acquire();
    await lease.withPlace(async () => {});
    const stream = lease.generate(request);
    expect(usage()).toEqual([1, 0, 0]);
    await stream.return(undefined);
    lease.close();
    expect(usage()).toEqual([0, 0, 0]);
  });
});

describe('a crash', () => {
  const crashed = (): HearthError => new HearthError('crashed', 'The connection was lost.');

  it('during the work ends it with the cause, once the instance is no longer listed', async () => {
    const { acquire, launcher, pool } = await setUp();
    const lease = await acquire();
    const work = lease.withPlace(async () => {
      setImmediate(() => launcher.processes[0]?.crash('segmentation fault'));
      throw crashed();
    });
    await expect(work).rejects.toMatchObject({
      code: 'crashed',
      message: expect.stringContaining('segmentation fault'),
    });
    expect(pool.list()).toEqual([]);
  });

  it('during a stream ends it with the cause', async () => {
    const { acquire, launcher } = await setUp();
    const lease = await acquire();
    launcher.onGenerate = async function* () {
      yield { type: 'content.delta', text: 'Half an ans' };
      setImmediate(() => launcher.processes[0]?.crash('segmentation fault'));
      throw crashed();
    };
    const stream = lease.generate({ kind: 'completion', prompt: 'Once', sampling: {} });
    await stream.next();
    await expect(stream.next()).resolves.toMatchObject({ value: { text: 'Half an ans' } });
    await expect(stream.next()).rejects.toThrow('segmentation fault');
  });

  it('without an exit event ends the work with its own error after a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { acquire, usage } = await setUp();
      const lease = await acquire();
      const outcome = lease.withPlace(() => Promise.reject(crashed())).catch((error) => error);
      await vi.waitFor(() => expect(usage()).toEqual([1, 1, 0]));
      expect(await outcome).toMatchObject({ message: 'The connection was lost.' });
      expect(usage()).toEqual([1, 0, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('while the lease has no slot fails the next work', async () => {
    const { acquire, launcher } = await setUp();
    const lease = await acquire();
    await lease.withPlace(async () => {});
    launcher.processes[0]?.crash('segmentation fault');
    await vi.waitFor(() => expect(lease.lease.context.signal.aborted).toBe(true));
    await expect(lease.withPlace(async () => 'never')).rejects.toMatchObject({ code: 'crashed' });
    lease.close();
    const next = await acquire();
    await expect(next.withPlace(async () => 'worked')).resolves.toBe('worked');
    expect(launcher.launchCount()).toBe(2);
  });
});

describe('the memory guard', () => {
  it('blames the request that began last, and lets the others be repeated', async () => {
    const { pool, launcher } = scriptedPoolWith({
      library: libraryOf(modelEntry()),
      defaults: { contextLength: 2048, parallel: 4 },
    });
    const leases = await Promise.all([1, 2, 3].map(() => openFrom(pool, model)));
    const [first, last, idle] = leases;
    if (first === undefined || last === undefined || idle === undefined) throw new Error('none');
    await occupy(first);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await occupy(last);
    launcher.processes[0]?.outgrow('too large');
    await vi.waitFor(() => expect(idle.lease.context.signal.aborted).toBe(true));
    expect(leases.map(({ lease }) => lease.signal.reason)).toMatchObject([
      { code: 'memory_exceeded', isRepeatable: true },
      { code: 'memory_exceeded', isRepeatable: false },
      { code: 'memory_exceeded', isRepeatable: true },
    ]);
  });

  it('blames no request if none works', async () => {
    const { acquire, launcher } = await setUp();
    const lease = await acquire();
    launcher.processes[0]?.outgrow('too large');
    await vi.waitFor(() => expect(lease.lease.context.signal.aborted).toBe(true));
    expect(lease.lease.context.signal.reason).toMatchObject({ isRepeatable: true });
  });
});

it('passes on the id, logger and caller of the request', async () => {
  const { pool } = await setUp();
  const context = testContext({ requestId: 'request-7', caller: { tokenId: 'token-7' } });
  const target = await pool.resolve(model, 'generation');
  const lease = pool.open({ target }, context);
  await collect(lease.ready());
  await lease.withPlace(async (_, { requestId, logger, caller }) =>
    expect([requestId, logger, caller]).toEqual(['request-7', context.logger, context.caller]),
  );
});

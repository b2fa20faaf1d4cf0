import { describe, expect, it, vi } from 'vitest';
import { openFrom } from '../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurnsWith,
} from '../../test/setup/chat/scripted-turn.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import type { Engines } from '../engines/engines.ts';

const model = 'test/model';
const answer: GenerationEvent = { type: 'content.delta', text: 'Done.' };
const callTool: GenerationEvent = {
  type: 'toolCall.delta',
  index: 0,
  id: 'x',
  name: 'work',
  argumentsJson: '{}',
};

/** The model calls a tool and then answers; while the tool works, a callback runs. */
async function setUp(
  options: Parameters<typeof scriptedTurnsWith>[0],
  meanwhile: (pool: Engines) => Promise<void>,
) {
  const tool = scriptedTool('work', async () => {
    await meanwhile(turns.pool);
    return 'worked';
  });
  async function* script(generation: number): AsyncGenerator<GenerationEvent> {
    yield generation === 0 ? callTool : answer;
    yield end;
  }
  const turns = await scriptedTurnsWith(options, script, tool);
  const instance = () => turns.pool.list().find(({ id }) => id === model);
  const use = async (identifier: string) => (await openFrom(turns.pool, identifier)).close();
  return { ...turns, instance, use };
}

const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

describe('an instance, while tools run between two generations', () => {
  it('counts as in use, with its slots free for others', async () => {
    const seen: unknown[] = [];
    const { run, instance, use } = await setUp(
      { defaults: { contextLength: 2048, parallel: 1 } },
      async () => {
        seen.push(instance()?.activeRequests, instance()?.idleSeconds);
        await use(model);
        seen.push(instance()?.requestCount);
      },
    );
    expect(resultOf(await run()).items.at(-1)).toEqual({ type: 'message', text: 'Done.' });
    expect(seen).toEqual([0, undefined, 1]);
    expect(instance()).toMatchObject({ requestCount: 0, idleSeconds: expect.any(Number) });
  });

  it('is not unloaded as idle', async () => {
    const { run, pool, launcher } = await setUp({ defaultTtlSeconds: 0 }, async () => {
      // A due timer would fire before this one.
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    });
    expect(resultOf(await run()).items).toHaveLength(2);
    expect(launcher.launchCount()).toBe(1);
    await vi.waitFor(() => expect(pool.list()).toEqual([]));
  });

  it('is not evicted for another model before the turn ends', async () => {
    const { run, pool, launcher, use } = await setUp({ keepsOnlyLast: true }, async () => {
      await use('test/vision');
    });
    const events = await run();
    expect(typesOf(events).filter((type) => type === 'load.start')).toHaveLength(1);
    expect(resultOf(events).instanceId).toBe(model);
    await vi.waitFor(() => expect(pool.list().map(({ id }) => id)).toEqual(['test/vision']));
    expect(launcher.launchCount()).toBe(2);
  });

  it('continues the turn, although another instance is less busy', async () => {
    const options = { defaults: { contextLength: 2048, parallel: 4 } };
    const { run, pool } = await setUp(options, async () => {
      await pool.load(model, {}, testContext());
      const acquire = () => openFrom(pool, model);
      const leases = [await acquire(), await acquire(), await acquire(), await acquire()];
      expect(leases.some(({ lease }) => lease.instance.id === model)).toBe(true);
    });
    const events = await run();
    expect(resultOf(events).instanceId).toBe(model);
    expect(typesOf(events).filter((type) => type === 'turn.start')).toHaveLength(1);
  });

  it('ends the turn with a clear error when it is unloaded by name', async () => {
    const { run, pool } = await setUp({}, async () => void (await pool.unload(model)));
    const events = await run();
    expect(typesOf(events).slice(-2)).toEqual(['turn.error', 'turn.end']);
    expect(events.at(-2)).toMatchObject({
      error: { code: 'unloaded', message: expect.stringContaining('was unloaded while') },
    });
    expect(pool.list()).toEqual([]);
  });

  it('makes a returning turn wait for a slot, even if the queue is full', async () => {
    const options = { defaults: { contextLength: 2048, parallel: 1 }, queueCapacity: 1 };
    const order: string[] = [];
    const acquire = () => openFrom(pool, model);
    const { run, pool, instance } = await setUp(options, async () => {
      const holder = await acquire();
      const comeNew = async (): Promise<void> => {
        const lease = await acquire();
        order.push('new');
        lease.close();
      };
      const goOnWhenBothWait = async (): Promise<void> => {
        await vi.waitFor(() => expect(instance()?.queuedRequests).toBe(2));
        holder.close();
      };
      void comeNew();
      void goOnWhenBothWait();
    });
    const events = await run();
    order.push('turn');
    expect(resultOf(events).items.at(-1)).toMatchObject({ text: 'Done.' });
    await vi.waitFor(() => expect(order).toHaveLength(2));
    expect(instance()).toMatchObject({ requestCount: 0, activeRequests: 0 });
  });
});

describe('an instance is released', () => {
  const expectFree = (pool: Engines) =>
    vi.waitFor(() =>
      expect(pool.list()).toMatchObject([
        { requestCount: 0, activeRequests: 0, queuedRequests: 0 },
      ]),
    );

  it.each(['toolCall.start', 'toolCall.success', 'message.delta'])(
    'when the reader of the turn stops at %s',
    async (type) => {
      const { start, pool } = await setUp({}, async () => {});
      for await (const event of start()) if (event.type === type) break;
      await expectFree(pool);
    },
  );

  it('when the caller leaves while a tool works', async () => {
    const left = new AbortController();
    const { run, pool } = await setUp({}, async () => {
      left.abort(new Error('client left'));
      throw left.signal.reason;
    });
    await expect(run({}, left.signal)).rejects.toThrow('client left');
    await expectFree(pool);
  });

  it('when the caller leaves while the turn waits for a slot again', async () => {
    const left = new AbortController();
    const options = { defaults: { contextLength: 2048, parallel: 1 } };
    const { run, pool, instance } = await setUp(options, async () => {
      const lease = await openFrom(pool, model);
      const leaveWhenItWaits = async (): Promise<void> => {
        await vi.waitFor(() => expect(instance()?.queuedRequests).toBe(1));
        left.abort(new Error('client left'));
        lease.close();
      };
      void leaveWhenItWaits();
    });
    await expect(run({}, left.signal)).rejects.toThrow('client left');
    await expectFree(pool);
  });

  it('when a tool throws', async () => {
    const { run, pool } = await setUp({}, () => Promise.reject(new TypeError('broken')));
    expect(typesOf(await run()).slice(-2)).toEqual(['turn.error', 'turn.end']);
    await expectFree(pool);
  });
});

describe('maxToolCalls', () => {
  const calls = (count: number): GenerationEvent[] =>
    Array.from({ length: count }, (_, index) => ({ ...callTool, index, id: `x${index}` }));

  it('executes no more calls than that, and then has the model answer', async () => {
    let executed = 0;
    const tool = scriptedTool('work', async () => {
      executed += 1;
      return 'worked';
    });
    async function* script(generation: number): AsyncGenerator<GenerationEvent> {
      yield* generation < 2 ? calls(2) : [answer];
      yield end;
    }
    const { run, requests } = await scriptedTurnsWith({}, script, tool);
    const { items } = resultOf(await run({ maxToolCalls: 3 }));
    expect(executed).toBe(3);
    expect(typesOf(items)).toEqual([
      'toolCall',
      'toolCall',
      'toolCall',
      'invalidToolCall',
      'message',
    ]);
    expect(items[3]).toMatchObject({
      tool: 'work',
      reason: 'The limit of 3 tool calls is reached.',
    });
    expect(
      requests.map((request) => (request.kind === 'chat' ? request.toolChoice : undefined)),
    ).toEqual(['auto', 'auto', 'none']);
  });
});

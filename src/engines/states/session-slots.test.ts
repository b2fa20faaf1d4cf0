import { describe, expect, it, vi } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { managedInstance } from '../../../test/setup/engines/managed-instance.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { EngineExit, GenerationEvent, GenerationRequest } from '../engine.ts';
import type { CachedPrompt } from './prefix-hash.ts';
import type { Settle } from './slot-table.ts';
import type { SlotUse } from './slot-use.ts';

const usage = {
  promptTokens: 80,
  cachedTokens: 70,
  completionTokens: 5,
  promptMs: 1,
  generationMs: 1,
};
const end: GenerationEvent = {
  type: 'generation.end',
  stopReason: 'eosFound',
  usage,
  isMalformed: false,
};
const request: GenerationRequest = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Hello' }],
  sampling: {},
  responseId: 'resp_1',
};

/** An instance whose engine answers each request with these events. */
async function setUp(events: readonly GenerationEvent[], idleMs = 100_000) {
  const managed = await managedInstance({ slotCount: 4, idleMs });
  const { engine, manager } = managed;
  const requests: GenerationRequest[] = [];
  engine.engine.generate = async function* generate(placed) {
    requests.push(placed);
    yield* events;
  };
  const reads: (readonly number[])[] = [];
  engine.slots.tokenize = async (generation) => [
    1,
    2,
    JSON.stringify(generation).includes('"A"') ? 3 : 4,
  ];
  engine.slots.read = async (_, tokens) => {
    reads.push(tokens);
    return { cachedTokens: 0, promptMs: 1 };
  };
  const release =
    vi.fn<(content: CachedPrompt, cachedTokens: number | undefined, settle?: Settle) => void>();
  const take = manager.take.bind(manager);
  manager.take = async (...args): Promise<SlotUse> => {
    const use = await take(...args);
    return {
      ...use,
      release: (...content) => {
        release(...content);
        use.release(...content);
      },
    };
  };
  const order: string[] = [];
  const settleIdle = manager.settleIdle.bind(manager);
  const saveAll = manager.saveAll.bind(manager);
  manager.settleIdle = async (signal) => {
    order.push('settle');
    await settleIdle(signal);
  };
  manager.saveAll = async (signal) => {
    order.push('save');
    await saveAll(signal);
  };
  return { ...managed, requests, release, reads, order };
}

describe('the slots of an engine that Hearth chooses', () => {
  it('generates in the chosen slot and notes its content', async () => {
    const { generate, requests, release } = await setUp([
      { type: 'content.delta', text: 'Hi' },
      end,
    ]);
    expect((await collect(generate(request))).map(({ type }) => type)).toEqual([
      'prompt.start',
      'content.delta',
      'generation.report',
    ]);
    expect(requests[0]).toMatchObject({ slot: 0, reusesSlot: true });
    const [content, cachedTokens] = release.mock.calls[0] ?? [];
    expect(content).toMatchObject({ responseId: 'resp_1', tokens: 85, heldTokens: 85 });
    expect(content).toHaveProperty('prefix.ends', [5, 7]);
    expect(cachedTokens).toBe(70);
  });

  it('gives the slot of another token without its content', async () => {
    const { run, requests } = await setUp([end]);
    for (const tokenId of ['1', '2', '3', '4', '5']) await run(request, { tokenId });
    expect(requests.map(({ slot, reusesSlot }) => [slot, reusesSlot])).toEqual([
      [0, true],
      [1, true],
      [2, true],
      [3, true],
      [0, false],
    ]);
  });

  it('does not count reasoning, which later prompts leave out', async () => {
    const { run, release } = await setUp([{ type: 'reasoning.delta', text: 'Hm' }, end]);
    await run(request);
    expect(release.mock.calls[0]?.[0]).toMatchObject({ tokens: 80, heldTokens: 85 });
  });

  it('reads an answer without its reasoning before the slot is saved', async () => {
    const { run, release, reads } = await setUp([
      { type: 'reasoning.delta', text: 'Hm' },
      { type: 'content.delta', text: 'Hi' },
      end,
    ]);
    await run(request);
    const settle = release.mock.calls[0]?.[2];
    // The common tokens of the prompts with the two possible next messages.
    expect(await settle?.(new AbortController().signal)).toMatchObject({
      responseId: 'resp_1',
      tokens: 2,
      heldTokens: 2,
      prefix: { ends: [5, 7] },
    });
    expect(reads).toEqual([[1, 2]]);
  });

  it('notes as much of a prompt as was read before the client left', async () => {
    const progress = { processedTokens: 32, cachedTokens: 0, totalTokens: 80 };
    const { generate, release } = await setUp([{ type: 'prompt.progress', ...progress }, end]);
    for await (const { type } of generate(request)) if (type === 'prompt.progress') break;
    expect(release.mock.calls[0]).toEqual([
      expect.objectContaining({ tokens: 32 }),
      undefined,
      undefined,
    ]);
  });

  it('saves its slots after idle time, and once before it stops', async () => {
    const { run, handle, order, engine } = await setUp([end], 0);
    await run(request);
    await expect.poll(() => order).toEqual(['settle', 'save']);
    await Promise.all([handle.stop(), handle.stop()]);
    expect(order).toEqual(['settle', 'save', 'save']);
    expect(engine.calls.at(-1)).toBe('stop');
    expect(engine.calls.filter((call) => call === 'stop')).toHaveLength(1);
  });

  it('ends the work of idle time when a request comes', async () => {
    const { run, manager, order } = await setUp([end], 0);
    let aborted = 0;
    manager.settleIdle = (signal) =>
      new Promise((resolve) => {
        order.push('settle');
        signal.addEventListener('abort', () => {
          aborted += 1;
          resolve();
        });
      });
    await run(request);
    await expect.poll(() => order).toContain('settle');
    await run(request);
    expect(aborted).toBe(1);
  });

  it('reports whether it ended while it restored a state', async () => {
    const exit: EngineExit = { exitCode: 1, signal: null, reason: 'abort' };
    const plain = await setUp([end]);
    plain.closed.resolve(exit);
    expect(await plain.handle.closed).toEqual(exit);
    const restoring = await setUp([end]);
    Object.defineProperty(restoring.manager, 'isRestoring', { value: true });
    restoring.closed.resolve(exit);
    expect(await restoring.handle.closed).toEqual({ ...exit, wasRestoring: true });
  });

  it('passes on the id and the caller of the request', async () => {
    const { open, engine } = await setUp([end]);
    const contexts: unknown[] = [];
    const generate = engine.engine.generate.bind(engine.engine);
    engine.engine.generate = (placed, context) => {
      contexts.push([context.requestId, context.caller.tokenId]);
      return generate(placed, context);
    };
    const session = open({ tokenId: 'token-7' });
    await collect(session.ready());
    await collect(session.generate(request));
    expect(contexts).toEqual([[testContext().requestId, 'token-7']]);
    session.close();
  });
});

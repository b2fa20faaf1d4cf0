import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type {
  EngineExit,
  EngineHandle,
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
} from '../engine.ts';
import { PromptReader } from './prompt-reader.ts';
import { ReadingSpeed } from './reading-speed.ts';
import { withWarmSlots } from './warm-engine.ts';
import type { Settle } from './slot-use.ts';
import type { WarmSlots } from './warm-slots.ts';

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

function setUp(events: readonly GenerationEvent[], idleMs = 100_000) {
  const closed = deferred<EngineExit>();
  const order: string[] = [];
  const requests: GenerationRequest[] = [];
  const release = vi.fn<(content: unknown, cachedTokens: unknown, settle?: unknown) => void>();
  const slots = {
    isIdle: true,
    isRestoring: false,
    tryAcquire: vi.fn<WarmSlots['tryAcquire']>(async () => ({
      slotId: 3,
      reusesSlot: false,
      expectedTokens: 0,
      share: async () => {},
      noteTokens: () => {},
      release,
    })),
    acquire: () => Promise.reject(new Error('no slot is free')),
    matchedTokens: () => 0,
    settleIdle: async () => {
      order.push('settle');
    },
    saveAll: async () => {
      order.push('save');
    },
  };
  const reads: (readonly number[])[] = [];
  const engineSlots: EngineSlots = {
    save: async () => 0,
    restore: async () => 0,
    erase: async () => {},
    tokenize: async (generation) => [1, 2, JSON.stringify(generation).includes('"A"') ? 3 : 4],
    read: async (_, tokens) => {
      reads.push(tokens);
      return { cachedTokens: 0, promptMs: 1 };
    },
  };
  const handle: EngineHandle = {
    slots: engineSlots,
    engine: {
      generate: async function* generate(placed: GenerationRequest) {
        requests.push(placed);
        yield* events;
      },
    } as unknown as EngineHandle['engine'],
    capabilities: {} as EngineHandle['capabilities'],
    closed: closed.promise,
    stop: async () => {
      order.push('stop');
    },
  };
  const reader = new PromptReader({
    slots: engineSlots,
    warmSlots: slots,
    speed: new ReadingSpeed(256),
    contextLength: 4096,
  });
  const options = {
    slots: slots as unknown as WarmSlots,
    reader,
    stepTokens: () => 256,
    idleMs,
    stopSaveMs: 1000,
  };
  return { warm: withWarmSlots(handle, options), slots, order, requests, release, reads, closed };
}

async function run(warm: EngineHandle): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const event of warm.engine.generate(request, testContext())) events.push(event);
  return events;
}

describe('an engine with warm slots', () => {
  it('generates in the chosen slot and notes its content', async () => {
    const { warm, requests, release } = setUp([{ type: 'content.delta', text: 'Hi' }, end]);
    expect((await run(warm)).map(({ type }) => type)).toEqual(['content.delta', 'generation.end']);
    expect(requests[0]).toMatchObject({ slot: 3, reusesSlot: false });
    const [content, cachedTokens] = release.mock.calls[0] ?? [];
    expect(content).toMatchObject({ responseId: 'resp_1', tokens: 85, heldTokens: 85 });
    expect(content).toHaveProperty('chain.ends', [5, 7]);
    expect(cachedTokens).toBe(70);
  });

  it('does not count reasoning, which later prompts leave out', async () => {
    const { warm, release } = setUp([{ type: 'reasoning.delta', text: 'Hm' }, end]);
    await run(warm);
    expect(release.mock.calls[0]?.[0]).toMatchObject({ tokens: 80, heldTokens: 85 });
  });

  it('reads an answer without its reasoning before the slot is saved', async () => {
    const { warm, release, reads } = setUp([
      { type: 'reasoning.delta', text: 'Hm' },
      { type: 'content.delta', text: 'Hi' },
      end,
    ]);
    await run(warm);
    const settle = release.mock.calls[0]?.[2] as Settle;
    // The tokens of both next messages, up to the difference.
    expect(await settle(new AbortController().signal)).toMatchObject({
      responseId: 'resp_1',
      tokens: 2,
      heldTokens: 2,
      chain: { ends: [5, 7] },
    });
    expect(reads).toEqual([[1, 2]]);
  });

  it('notes as much of a prompt as was read before the client left', async () => {
    const progress = { processedTokens: 32, cachedTokens: 0, totalTokens: 80 };
    const { warm, release } = setUp([{ type: 'prompt.progress', ...progress }, end]);
    for await (const _ of warm.engine.generate(request, testContext())) break;
    expect(release.mock.calls[0]).toEqual([
      expect.objectContaining({ tokens: 32 }),
      undefined,
      undefined,
    ]);
  });

  it('saves its slots after idle time, and once before it stops', async () => {
    const { warm, order } = setUp([end], 0);
    await run(warm);
    await expect.poll(() => order).toEqual(['settle', 'save']);
    await Promise.all([warm.stop(), warm.stop()]);
    expect(order).toEqual(['settle', 'save', 'save', 'stop']);
  });

  it('reports whether it ended while it restored a state', async () => {
    const exit: EngineExit = { exitCode: 1, signal: null, reason: 'abort' };
    const plain = setUp([end]);
    plain.closed.resolve(exit);
    expect(await plain.warm.closed).toEqual(exit);
    const restoring = setUp([end]);
    restoring.slots.isRestoring = true;
    restoring.closed.resolve(exit);
    expect(await restoring.warm.closed).toEqual({ ...exit, wasRestoring: true });
  });
});

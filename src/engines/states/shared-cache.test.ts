import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/setup/seeded-random.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { TokenEngine } from '../../../test/setup/warm-state/token-engine.ts';
import type { EngineHandle, GenerationRequest } from '../engine.ts';
import { createLogger } from '../../observability/logger.ts';
import { ActivePrompt } from '../scheduler/prefill.ts';
import { KeptStates } from './kept-states.ts';
import { MemoryStates } from './memory-states.ts';
import { promptChain } from './prompt-chain.ts';
import { PromptReader } from './prompt-reader.ts';
import { ReadingSpeed } from './reading-speed.ts';
import type { SlotUse } from './slot-use.ts';
import { withWarmSlots } from './warm-engine.ts';
import { WarmSlots, type WarmSlotsOptions } from './warm-slots.ts';

const never = new AbortController().signal;
const logger = createLogger('silent');
const contextLength = 2000;
const totalCells = 2 * contextLength;

describe('slots that share a cache', () => {
  let scripted: TokenEngine;
  let slots: WarmSlots;

  let options: WarmSlotsOptions;

  beforeEach(async () => {
    const folder = await temporaryFolder();
    const states = join(folder, 'states');
    await mkdir(states);
    scripted = new TokenEngine(states, { totalCells, contextLength });
    const kept = await KeptStates.open({
      folder: join(folder, 'kept'),
      maxBytes: 1e9,
      isWanted: async () => true,
      logger,
      usableBytes: async () => 1e9,
    });
    options = {
      states: scripted.slots,
      slotCount: 4,
      cacheSize: { totalCells, contextLength },
      key: 'key',
      memory: new MemoryStates({
        folder: states,
        maxBytes: 1e6,
        freeBytes: async () => 1e6,
        bytesPerToken: 10,
      }),
      isMemory: true,
      kept,
      persistsStateless: false,
      secondsToRead: () => undefined,
      logger,
    };
    slots = new WarmSlots(options);
  });

  /** Of so many tokens, each of 4 characters. */
  function prompt(name: string, tokens: number, maxTokens?: number): ActivePrompt {
    const request: GenerationRequest = {
      kind: 'completion',
      prompt: name.repeat(4).repeat(tokens),
      sampling: {},
      ...(maxTokens === undefined ? {} : { maxTokens }),
    };
    return new ActivePrompt(request, null, promptChain(null, request), scripted.slots);
  }

  /** Starts to take a slot, and notes when it has one. */
  function start(activePrompt: ActivePrompt, signal = never) {
    const started = {
      isTaken: false,
      use: slots.acquire(activePrompt, signal),
      prompt: activePrompt,
    };
    started.use.then(
      () => (started.isTaken = true),
      () => {},
    );
    return started;
  }

  async function end(
    { use, prompt: { chain } }: ReturnType<typeof start>,
    heldTokens: number,
    isCut = false,
  ): Promise<void> {
    const content = { ownerId: null, responseId: null, chain, tokens: heldTokens, heldTokens };
    (await use).release(content, isCut ? undefined : 0);
  }

  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    await new Promise(setImmediate);
  };

  it('runs as many requests without a limit as it holds contexts, and others in order of arrival', async () => {
    const first = start(prompt('a', 10));
    const second = start(prompt('b', 10));
    const third = start(prompt('c', 10));
    const small = start(prompt('d', 10, 10));
    await settled();
    expect([first, second, third, small].map(({ isTaken }) => isTaken)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await end(first, 50);
    await settled();
    expect([third, small].map(({ isTaken }) => isTaken)).toEqual([true, false]);
    await end(second, 50);
    await settled();
    expect(small.isTaken).toBe(true);
  });

  it('counts a prompt only if it does not fit by its length', async () => {
    const limited = ['a', 'b', 'c'].map((name) => start(prompt(name, 150, 50)));
    await settled();
    expect(limited.every(({ isTaken }) => isTaken)).toBe(true);
    expect(scripted.calls).toEqual([]);
    await start(prompt('d', 150, 50)).use;
    expect(scripted.calls).toEqual(['tokenize']);
  });

  it('saves and empties the idle slots whose cells a request needs, the least recently used first', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      const use = start(prompt(name, 900, 90));
      await use.use;
      scripted.contents.set(
        (await use.use).slotId,
        Array.from({ length: 1000 }, () => 1),
      );
      await end(use, 1000);
    }
    const changes = () => scripted.calls.filter((call) => call !== 'tokenize');
    expect(changes()).toEqual([]);
    await end(start(prompt('d', 910, 80)), 1000);
    expect(changes()).toEqual([]);
    await start(prompt('e', 1200, 300)).use;
    expect(changes()).toEqual(['save 1: 1000', 'erase 1', 'save 0: 1000']);
  });

  describe('of which idle slots hold much', () => {
    const changes = () => scripted.calls.filter((call) => call !== 'tokenize');
    const erased = () => scripted.calls.filter((call) => call.startsWith('erase'));
    /** Two contents of 200 tokens are too much for it. */
    const crowded = { totalCells, contextLength, maxIdleCells: 300 };

    function open(changed: Partial<WarmSlotsOptions> = {}): void {
      slots = new WarmSlots({
        ...options,
        cacheSize: { totalCells, contextLength, maxIdleCells: 1000 },
        secondsToRead: () => 1,
        ...changed,
      });
    }

    /** Idle slots hold so many tokens each. */
    async function fill(tokens = 600, names = ['a', 'b']): Promise<void> {
      const held = Array.from({ length: tokens }, () => 1);
      for (const started of names.map((name) => start(prompt(name, tokens - 100, 100)))) {
        scripted.contents.set((await started.use).slotId, held);
        await end(started, tokens);
      }
    }

    it('moves it into memory before a generation, the least recently used first, and back for the next turn', async () => {
      open();
      await fill();
      await end(start(prompt('c', 10, 10)), 20);
      expect(changes()).toEqual(['save 0: 600', 'erase 0']);
      await start(prompt('a', 610, 10)).use;
      expect(changes().slice(2)).toEqual(['restore 0: 600']);
    });

    it('fills no empty slot meanwhile, whose chat template would be read again', async () => {
      open();
      await fill();
      const first = start(prompt('c', 500, 100));
      expect((await first.use).slotId).toBe(0);
      await end(first, 600);
      expect((await start(prompt('d', 500, 100)).use).slotId).toBe(1);
      expect(changes()).toEqual(['save 0: 600', 'save 1: 600']);
    });

    it('does not while another generation runs', async () => {
      open();
      const running = start(prompt('c', 10, 10));
      await running.use;
      await fill();
      await end(start(prompt('d', 10, 10)), 20);
      expect(changes()).toEqual([]);
      await end(running, 20);
      await start(prompt('d', 10, 10)).use;
      expect(changes()).toEqual(['save 1: 600', 'erase 1']);
    });

    it.each<[string, Partial<WarmSlotsOptions>]>([
      ['would be moved to disk', { isMemory: false }],
      ['slows down little', { cacheSize: { totalCells, contextLength, maxIdleCells: 1200 } }],
    ])('leaves in its slot what %s', async (_, changed) => {
      open(changed);
      await fill();
      await start(prompt('c', 10, 10)).use;
      expect(changes()).toEqual([]);
    });

    it('leaves in its slot what is short and read again at once', async () => {
      open({ cacheSize: crowded, secondsToRead: () => 0.04 });
      await fill(200);
      await start(prompt('c', 10, 10)).use;
      expect(changes()).toEqual([]);
    });

    it('does not wait for the saving of a short one whose slot it takes', async () => {
      open({ cacheSize: crowded, secondsToRead: () => 0.06 });
      await fill(200);
      const slotIds: number[] = [];
      for (const name of ['c', 'd', 'e']) {
        const started = start(prompt(name, 100, 100));
        slotIds.push((await started.use).slotId);
        await end(started, 200);
      }
      expect(slotIds).toEqual([0, 1, 0]);
      expect(changes()).toEqual([]);
    });

    it('moves short ones once a generation has run alone for a while, not within a burst', async () => {
      open({ cacheSize: crowded, secondsToRead: () => 0.06 });
      const names = ['a', 'b', 'c', 'd'];
      const burst = names.map((name) => start(prompt(name, 100, 100)));
      for (const started of burst) {
        scripted.contents.set((await started.use).slotId, [1, 2, 3]);
        await end(started, 200);
      }
      const again = names.map((name) => start(prompt(`${name}e`, 50, 100)));
      await Promise.all(again.map(({ use }) => use));
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(erased()).toEqual([]);
      for (const started of again) await end(started, 200);
      const alone = start(prompt('f', 100, 100));
      await alone.use;
      expect(erased()).toEqual([]);
      await expect.poll(() => erased()).toHaveLength(2);
      await end(alone, 200);
    });

    it('moves a long one, even if it is read again at once', async () => {
      open({ secondsToRead: () => 0.04 });
      await fill();
      await start(prompt('c', 10, 10)).use;
      expect(changes()).toEqual(['save 0: 600', 'erase 0']);
    });

    it('leaves in its slot what can not be saved', async () => {
      open();
      await fill(600, ['a', 'b', 'c']);
      scripted.step = async (call) => {
        if (call.startsWith('save')) throw new Error('full');
      };
      await end(start(prompt('d', 500, 100)), 600);
      expect(changes()).toEqual([]);
      expect((await start(prompt('b', 610, 10)).use).expectedTokens).toBeGreaterThan(500);
    });
  });

  it('keeps the room of a generation that was cancelled until its slot is emptied', async () => {
    const cancelled = start(prompt('a', 100));
    await cancelled.use;
    await end(cancelled, 100, true);
    const running = start(prompt('b', 100));
    await running.use;
    expect(scripted.calls).toEqual([]);
    await start(prompt('c', 100, 100)).use;
    expect(scripted.calls.at(-1)).toBe('erase 0');
  });

  it('lets a request leave the line, and those behind it pass', async () => {
    const running = [start(prompt('a', 10)), start(prompt('b', 10, 200))];
    const client = new AbortController();
    const leaving = start(prompt('c', 10), client.signal);
    const small = start(prompt('d', 10, 10));
    await settled();
    expect(small.isTaken).toBe(false);
    client.abort(new Error('left'));
    await expect(leaving.use).rejects.toThrow('left');
    await small.use;
    expect(running.every(({ isTaken }) => isTaken)).toBe(true);
  });

  it('reserves more for a prompt that turns out to be longer than its text', async () => {
    const longer: SlotUse = await slots.acquire(prompt('a', 10, 100), never);
    longer.noteTokens(1800);
    const running = start(prompt('b', 10));
    const waiting = start(prompt('c', 10, 1000));
    await settled();
    expect([running.isTaken, waiting.isTaken]).toEqual([true, false]);
  });

  it('never lacks cells, whatever is requested, cancelled and continued', async () => {
    const speed = new ReadingSpeed(64);
    const reader = new PromptReader({
      slots: scripted.slots,
      warmSlots: slots,
      speed,
      contextLength,
    });
    const handle = {
      engine: scripted.engine,
      closed: new Promise(() => {}),
      stop: async () => {},
    } as unknown as EngineHandle;
    const { engine } = withWarmSlots(handle, {
      slots,
      reader,
      stepTokens: () => 64,
      idleMs: 1e6,
      stopSaveMs: 1000,
    });
    const random = seededRandom(11);
    const integer = (most: number): number => Math.floor(random() * most);
    scripted.step = async () => {
      for (let turn = integer(4); turn > 0; turn -= 1) await new Promise(setImmediate);
    };
    const failures: unknown[] = [];
    let endedCount = 0;
    const run = async (): Promise<void> => {
      const name = 'abcdefgh'[integer(8)] ?? 'a';
      const { request } = prompt(name, 1 + integer(1500), integer(600) || undefined);
      const client = new AbortController();
      const events = engine.generate(request, testContext({ signal: client.signal }));
      const isCancelled = integer(5) === 0;
      for await (const event of events) {
        if (isCancelled) client.abort('left');
        if (event.type === 'generation.end') endedCount += 1;
      }
    };
    const clients = Array.from({ length: 6 }, async () => {
      for (let count = 0; count < 25; count += 1)
        await run().catch((error: unknown) => failures.push(error));
    });
    await Promise.all(clients);
    expect(failures.filter((failure) => failure !== 'left')).toEqual([]);
    expect(endedCount).toBeGreaterThan(90);
    expect(scripted.mostCells).toBeGreaterThan(0.9 * totalCells);
  });
});

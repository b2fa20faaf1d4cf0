import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { EngineSlots, GenerationEvent, GenerationRequest } from '../engine.ts';
import { GenerationAccount } from '../generation-account.ts';
import type { SlotManager } from '../states/slot-manager.ts';
import { prefixHash } from '../states/prefix-hash.ts';
import type { SlotUse } from '../states/slot-use.ts';
import { ActivePrompt, Prefill, PrefillSpeed } from './prefill.ts';
import { AnswerLengths } from './prompt-cells.ts';
import { Scheduler } from './scheduler.ts';
import { SlotRun } from './slot-run.ts';

const figures = { completionTokens: 1, promptMs: 1, generationMs: 1 };

/** A prompt with about this number of tokens of 4 characters. */
function request(tokens: number): GenerationRequest {
  return { kind: 'completion', prompt: 'word'.repeat(tokens), sampling: {} };
}

function setUp() {
  const reads: { readonly end: number; readonly reusesSlot: boolean }[] = [];
  const started: string[] = [];
  const slots: Pick<EngineSlots, 'tokenize' | 'read'> = {
    tokenize: async (generation) => {
      const { length } = generation.kind === 'completion' ? generation.prompt : '';
      return Array.from({ length: length / 4 }, (_, index) => index);
    },
    read: async ({ reusesSlot }, tokens) => {
      const before = reads.at(-1)?.end ?? 0;
      reads.push({ end: tokens.length, reusesSlot });
      return { cachedTokens: before, promptMs: tokens.length - before };
    },
  };
  const use: SlotUse = {
    slotId: 0,
    reusesSlot: false,
    expectedTokens: 0,
    share: async () => {},
    cells: 0,
    resize: async () => {},
    release: () => {},
  };
  const manager = {
    totalCells: Infinity,
    slotCount: 8,
    matchedTokens: () => 0,
    cellsToReserve: () => 0,
    take: async () => use,
  };
  const speed = new PrefillSpeed(256);
  const prefill = new Prefill({ slots, manager, speed, contextLength: 2000 });
  const slotManager = {
    ...manager,
    prefill,
    contextLength: 2000,
    answers: new AnswerLengths(),
    canRunFull: false,
    interruptIdle: async () => {},
    saveWhenIdle: () => {},
  } as unknown as SlotManager;
  const scheduler = new Scheduler(8, 100);
  scheduler.open();
  /** A generation that begins to write when `write` is resolved, and ends when `end` is resolved. */
  function open(tokens: number, name = String(tokens), context = testContext()) {
    const write = deferred<void>();
    const end = deferred<void>();
    const generate = async function* generate(placed: GenerationRequest) {
      started.push(`${name} ${placed.reusesSlot}`);
      await write.promise;
      yield { type: 'content.delta', text: 'Hi' } as const;
      await end.promise;
      const cachedTokens = placed.reusesSlot === true ? tokens - 1 : 0;
      const usage = { ...figures, cachedTokens, promptTokens: tokens };
      yield { type: 'generation.end', stopReason: 'eosFound', usage, isMalformed: false } as const;
    };
    const generation = request(tokens);
    async function* read(): AsyncGenerator<GenerationEvent> {
      const place = await scheduler.enter('client', context.signal).place;
      const run = new SlotRun(place, slotManager, new GenerationAccount(generation, 0), context);
      try {
        await run.start();
        yield* run.prefill();
        for await (const raw of generate(run.request)) yield run.accept(raw) ?? raw;
      } finally {
        run.end();
        place.leave();
      }
    }
    return { write, end, events: read() };
  }
  const drain = ({ events }: ReturnType<typeof open>) => collect(events);
  /** Lets a generation run to its end. */
  async function finish(generation: ReturnType<typeof open>) {
    generation.write.resolve();
    generation.end.resolve();
    return drain(generation);
  }
  return { speed, reads, started, slots, open, drain, finish };
}

/** Starts a stream that writes until the test ends it. */
async function writing(setup: ReturnType<typeof setUp>) {
  const stream = setup.open(5, 'stream');
  stream.write.resolve();
  await stream.events.next();
  return stream;
}

describe('Prefill', () => {
  it('reads a long prompt in whole batches while no other generation writes, the last with the generation', async () => {
    const setup = setUp();
    await setup.finish(setup.open(1000));
    // After the first batch, the speed is known: 1,000 tokens a second.
    expect(setup.reads).toEqual([{ end: 256, reusesSlot: false }]);
    expect(setup.started).toEqual(['1000 true']);
  });

  it('reads nothing of a prompt that the engine rejects, since it exceeds the context', async () => {
    const setup = setUp();
    await setup.finish(setup.open(2000));
    expect(setup.reads).toEqual([]);
  });

  it('leaves a short prompt to the generation', async () => {
    const setup = setUp();
    await setup.finish(setup.open(20));
    expect(setup.reads).toEqual([]);
    expect(setup.started).toEqual(['20 false']);
  });

  it('leaves a prompt to the generation whose length was estimated too high', async () => {
    const setup = setUp();
    const stream = await writing(setup);
    expect(setup.speed.estimateTokens(prefixHash(null, request(60)))).toBeGreaterThan(64);
    await setup.finish(setup.open(60));
    expect(setup.reads).toEqual([]);
    expect(setup.started).toEqual(['stream false', '60 false']);
    await setup.finish(stream);
  });

  it('does not ask for the tokens of a prompt that is read at once while no other request waits', async () => {
    const setup = setUp();
    setup.speed.measure(1000, 1000);
    setup.slots.tokenize = () => Promise.reject(new Error('asked'));
    await setup.finish(setup.open(600));
    expect(setup.started).toEqual(['600 false']);
  });

  it('estimates little for a short prompt after one of which the template is the largest part', () => {
    const { speed } = setUp();
    speed.learnTokens(36, prefixHash(null, request(1)));
    expect(speed.estimateTokens(prefixHash(null, request(10)))).toBeLessThan(64);
  });

  it('reads it in pieces while another one writes, and reports what the engine had before', async () => {
    const setup = setUp();
    const stream = await writing(setup);
    const events = await setup.finish(setup.open(1000));
    expect(setup.reads[0]).toEqual({ end: 64, reusesSlot: false });
    expect(setup.reads.length).toBeGreaterThan(3);
    const ends = setup.reads.map(({ end }) => end);
    expect(ends.every((end, index) => end - (ends[index - 1] ?? 0) <= 256)).toBe(true);
    expect(setup.reads.slice(1).every(({ reusesSlot }) => reusesSlot)).toBe(true);
    expect(setup.started.at(-1)).toBe('1000 true');
    expect(events.filter(({ type }) => type === 'prompt.progress')).toHaveLength(ends.length);
    const { usage: reported } = events.at(-1) as Extract<
      GenerationEvent,
      { type: 'generation.end' }
    >;
    expect(reported).toMatchObject({ cachedTokens: 0, promptMs: 1 + (ends.at(-1) ?? 0) });
    await setup.finish(stream);
  });

  it('passes short prompts at once, and reads long ones one after the other', async () => {
    const setup = setUp();
    const first = setup.open(1000, 'first');
    const second = setup.open(1001, 'second');
    const short = setup.open(20, 'short');
    const all = [first, second, short];
    const drained = all.map((each) => setup.drain(each));
    await expect.poll(() => setup.started).toEqual(['short false', 'first true']);
    first.write.resolve();
    await expect.poll(() => setup.started).toContain('second true');
    for (const { write, end } of all) {
      write.resolve();
      end.resolve();
    }
    await Promise.all(drained);
  });

  it('adapts the pieces to the speed, within limits', async () => {
    const setup = setUp();
    expect(setup.speed.pieceTokens).toBe(64);
    expect(setup.speed.secondsToRead(1000)).toBeUndefined();
    const stream = await writing(setup);
    await setup.finish(setup.open(1000));
    expect(setup.speed.pieceTokens).toBeGreaterThan(200);
    // The stream writes one token while each piece is read.
    expect(setup.speed.secondsToRead(1000)).toBeCloseTo(1, 1);
    setup.slots.read = async (_, tokens) => ({
      cachedTokens: 0,
      promptMs: tokens.length * 1e6,
    });
    for (let round = 0; round < 8; round += 1) await setup.finish(setup.open(1000));
    expect(setup.speed.pieceTokens).toBe(16);
    await setup.finish(stream);
  });

  it('finds pieces that take the same time, although short ones are slower', async () => {
    const setup = setUp();
    const stream = await writing(setup);
    const lengths: number[] = [];
    setup.slots.read = async (_, tokens) => {
      const cachedTokens = lengths.reduce((sum, length) => sum + length, 0);
      const length = tokens.length - cachedTokens;
      lengths.push(length);
      return { cachedTokens, promptMs: 100 + 5 * length };
    };
    for (let round = 0; round < 3; round += 1) {
      lengths.length = 0;
      await setup.finish(setup.open(1500));
    }
    // The last piece may be shorter.
    const whole = lengths.slice(0, -1);
    expect(whole.every((length) => Math.abs(length - 40) <= 2)).toBe(true);
    await setup.finish(stream);
  });

  it('makes the pieces longer again when the machine has more time', async () => {
    const setup = setUp();
    const stream = await writing(setup);
    const read = setup.slots.read;
    setup.slots.read = async (_, tokens) => ({ cachedTokens: 0, promptMs: tokens.length * 1e6 });
    for (let round = 0; round < 8; round += 1) await setup.finish(setup.open(1000));
    expect(setup.speed.pieceTokens).toBe(16);
    setup.slots.read = read;
    for (let round = 0; round < 8; round += 1) await setup.finish(setup.open(1000));
    expect(setup.speed.pieceTokens).toBeGreaterThan(200);
    await setup.finish(stream);
  });

  it('stops between pieces when its client has left, and lets the next one read', async () => {
    const setup = setUp();
    const stream = await writing(setup);
    const client = new AbortController();
    setup.slots.read = async (_, tokens, signal) => {
      client.abort(new Error('left'));
      signal.throwIfAborted();
      return { cachedTokens: 0, promptMs: tokens.length };
    };
    const leaving = setup.open(1000, 'leaving', testContext({ signal: client.signal }));
    await expect(leaving.events.next()).rejects.toThrow('left');
    await setup.finish(setup.open(1000, 'next'));
    expect(setup.started).toEqual(['stream false', 'next true']);
    await setup.finish(stream);
  });

  it('tokenizes a prompt again if another one that shared its tokens has left', async () => {
    const { slots } = setUp();
    const { tokenize } = slots;
    slots.tokenize = async (generation, signal) => {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      return tokenize(generation, signal);
    };
    const prompt = new ActivePrompt(request(3), null, slots);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const shared = prompt.tokens(leaving.signal);
    const own = prompt.tokens(staying.signal);
    leaving.abort(new Error('left'));
    await expect(shared).rejects.toThrow('left');
    expect(await own).toHaveLength(3);
  });

  it('reads the whole prompt if it cannot be cut or a piece fails', async () => {
    const setup = setUp();
    const stream = await writing(setup);
    setup.slots.tokenize = async () => undefined;
    await setup.finish(setup.open(1000, 'images'));
    setup.slots.tokenize = () => Promise.reject(new Error('no'));
    await setup.finish(setup.open(1000, 'failing'));
    expect(setup.started.slice(1)).toEqual(['images false', 'failing false']);
    expect(setup.reads).toEqual([]);
    await setup.finish(stream);
  });
});

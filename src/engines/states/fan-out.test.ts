import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/setup/seeded-random.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { TokenEngine, tokensOf } from '../../../test/setup/warm-state/token-engine.ts';
import type { EngineHandle, GenerationRequest } from '../engine.ts';
import { createLogger } from '../../observability/logger.ts';
import { KeptStates } from './kept-states.ts';
import { MemoryStates } from './memory-states.ts';
import { PromptReader } from './prompt-reader.ts';
import { ReadingSpeed } from './reading-speed.ts';
import { withWarmSlots } from './warm-engine.ts';
import { WarmSlots } from './warm-slots.ts';

const logger = createLogger('silent');
const slotCount = 8;
const batchTokens = 64;
const prefix = 'word'.repeat(512);

function request(prompt: string): GenerationRequest {
  return { kind: 'completion', prompt, sampling: {} };
}

async function setUp({ isMemory = true } = {}) {
  const folder = await temporaryFolder();
  const states = join(folder, 'states');
  await mkdir(states);
  const scripted = new TokenEngine(states);
  const kept = await KeptStates.open({
    folder: join(folder, 'kept'),
    maxBytes: 1e9,
    isWanted: async () => true,
    logger,
    usableBytes: async () => 1e9,
  });
  const speed = new ReadingSpeed(batchTokens);
  const slots = new WarmSlots({
    states: scripted.slots,
    slotCount,
    key: 'key',
    memory: new MemoryStates({
      folder: states,
      maxBytes: 1e6,
      freeBytes: async () => 1e6,
      bytesPerToken: 10,
    }),
    isMemory,
    kept,
    persistsStateless: false,
    secondsToRead: (tokens) => speed.secondsToRead(tokens),
    logger,
    maxPrepareMs: 2_000,
  });
  const reader = new PromptReader({
    slots: scripted.slots,
    warmSlots: slots,
    speed,
    contextLength: 4096,
  });
  const handle = {
    engine: scripted.engine,
    closed: new Promise(() => {}),
    stop: async () => {},
  } as unknown as EngineHandle;
  const { engine } = withWarmSlots(handle, {
    slots,
    reader,
    stepTokens: () => batchTokens,
    idleMs: 1e6,
    stopSaveMs: 1000,
  });
  /** Generates to the end. @returns the cached tokens of the prompt */
  async function run(
    prompt: string,
    { tokenId = null as string | null, signal = new AbortController().signal } = {},
  ): Promise<number> {
    const context = testContext({ signal, caller: { tokenId } });
    let cachedTokens = -1;
    for await (const event of engine.generate(request(prompt), context)) {
      if (event.type === 'generation.end') ({ cachedTokens } = event.usage);
    }
    return cachedTokens;
  }
  /** Lets no generation end before so many of them write. */
  function hold(count: number): void {
    const before = scripted.step;
    let writing = 0;
    let finish = (): void => {};
    const all = new Promise<void>((resolve) => {
      finish = resolve;
    });
    scripted.step = async (call, signal) => {
      await before(call, signal);
      if (!call.startsWith('write')) return;
      writing += 1;
      if (writing === count) finish();
      await all;
    };
  }
  const savedFiles = () => readdir(states);
  const restoreCount = () => scripted.calls.filter((call) => call.startsWith('restore')).length;
  return { scripted, slots, run, hold, savedFiles, restoreCount };
}

/** Prompts of 512 tokens in common and 8 of their own. */
function prompts(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${`${index}abc`.repeat(8)}`);
}

describe('requests that share the beginning of their prompts', () => {
  it('read it once, and each generates in a slot of its own', async () => {
    const { scripted, run, restoreCount, slots } = await setUp();
    const cached = await Promise.all(prompts(slotCount).map((prompt) => run(prompt)));
    expect(cached.toSorted((one, other) => one - other)).toEqual([0, ...Array(7).fill(512)]);
    expect(scripted.calls.filter((call) => call.startsWith('save'))).toEqual(['save 0: 512']);
    expect(restoreCount()).toBe(7);
    expect(scripted.readTokens).toBe(512 + slotCount * 8);
    expect(slots.isIdle).toBe(true);
  });

  it('save a beginning on tokens, within a block of the text', async () => {
    const { scripted, run } = await setUp();
    await Promise.all(['x', 'y', 'z'].map((end) => run(`${prefix}same${end.repeat(40)}`)));
    expect(scripted.calls).toContain('save 0: 513');
  });

  it('find it in memory when they come later, while the first ones still write', async () => {
    const { scripted, run, restoreCount } = await setUp();
    let finish = (): void => {};
    const written = new Promise<void>((resolve) => {
      finish = resolve;
    });
    scripted.step = async (call) => {
      if (call.startsWith('write')) await written;
    };
    const [one = '', two = '', three = ''] = prompts(3);
    const running = [run(one)];
    await expect.poll(() => scripted.calls.some((call) => call.startsWith('generate'))).toBe(true);
    // The second one sees that it shares its beginning with the first.
    running.push(run(two));
    await expect.poll(() => scripted.calls).toContain('save 1: 512');
    running.push(run(three));
    await expect.poll(restoreCount).toBe(1);
    finish();
    expect(await Promise.all(running)).toEqual([0, 0, 512]);
  });

  it('share nothing with those of another token', async () => {
    const { run, restoreCount, hold } = await setUp();
    hold(4);
    const cached = await Promise.all(
      prompts(4).map((prompt, index) => run(prompt, { tokenId: `token ${index}` })),
    );
    expect(cached).toEqual([0, 0, 0, 0]);
    expect(restoreCount()).toBe(0);
  });

  it('are not saved where states would be written to disk', async () => {
    const { run, savedFiles, hold } = await setUp({ isMemory: false });
    hold(3);
    expect(await Promise.all(prompts(3).map((prompt) => run(prompt)))).toEqual([0, 0, 0]);
    expect(await savedFiles()).toEqual([]);
  });

  it('read on when the first one is cancelled, or its reading fails', async () => {
    for (const fails of [true, false]) {
      const { scripted, run, restoreCount, slots, hold } = await setUp();
      const client = new AbortController();
      let count = 0;
      scripted.step = async (call, signal) => {
        if (!call.startsWith('read')) return;
        count += 1;
        if (count !== 2) return;
        if (fails) throw new Error('no');
        client.abort(new Error('left'));
        signal.throwIfAborted();
      };
      hold(fails ? slotCount : slotCount - 1);
      const [first, ...others] = prompts(slotCount).map((prompt, index) =>
        run(prompt, index === 0 ? { signal: client.signal } : {}),
      );
      const outcome = await first?.catch((error: Error) => error.message);
      expect(outcome).toBe(fails ? 0 : 'left');
      const cached = await Promise.all(others);
      expect(cached.filter((tokens) => tokens === 512)).toHaveLength(6);
      expect(restoreCount()).toBe(6);
      expect(slots.isIdle).toBe(true);
    }
  });

  it('read the whole prompt, one after the other, if states cannot be saved or restored', async () => {
    for (const failing of ['save', 'restore']) {
      const { scripted, run, slots, hold } = await setUp();
      scripted.step = (call) =>
        call.startsWith(failing) ? Promise.reject(new Error('no')) : Promise.resolve();
      hold(4);
      expect(await Promise.all(prompts(4).map((prompt) => run(prompt)))).toEqual([0, 0, 0, 0]);
      expect(slots.isIdle).toBe(true);
    }
  });

  it('end with any mixture of cancellations and failures', async () => {
    const random = seededRandom();
    for (let round = 0; round < 20; round += 1) {
      const { scripted, run, slots } = await setUp();
      scripted.step = async (_, signal) => {
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        if (random() < 0.05) throw new Error('no');
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: slotCount }, async (_, index) => {
          const words = Math.floor(random() * 4);
          const prompt = `${prefix.slice(0, 4 * Math.floor(random() * 512))}${String(words).repeat(200)}`;
          const client = new AbortController();
          if (random() < 0.2) setImmediate(() => client.abort(new Error('left')));
          const cached = await run(prompt, { signal: client.signal, tokenId: `${index % 2}` });
          expect(cached).toBeLessThan(tokensOf(request(prompt)).length);
        }),
      );
      const reasons = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason.message] : [],
      );
      expect(reasons.filter((reason) => reason !== 'left' && reason !== 'no')).toEqual([]);
      expect(slots.isIdle).toBe(true);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { managedInstance } from '../../../test/setup/engines/managed-instance.ts';
import { tokensOf } from '../../../test/setup/engines/token-engine.ts';
import { seededRandom } from '../../../test/setup/seeded-random.ts';
import type { GenerationRequest } from '../engine.ts';

const slotCount = 8;
const prefix = 'word'.repeat(512);

function request(prompt: string): GenerationRequest {
  return { kind: 'completion', prompt, sampling: {} };
}

async function setUp(options: { readonly isMemory?: boolean } = {}) {
  const managed = await managedInstance({ slotCount, ...options });
  const { engine } = managed;
  /**
   * Generates to the end.
   * @returns The prompt's cached tokens.
   */
  const run = async (prompt: string, client: Parameters<typeof managed.run>[1] = {}) =>
    (await managed.run(request(prompt), client)).cachedTokens;
  const restoreCount = () => engine.calls.filter((call) => call.startsWith('restore')).length;
  return { ...managed, run, restoreCount };
}

/** Prompts with 512 common tokens and 8 own tokens. */
function prompts(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${`${index}abc`.repeat(8)}`);
}

describe('requests that share the beginning of their prompts', () => {
  it('read it once, and each generates in a slot of its own', async () => {
    const { engine, run, restoreCount, manager } = await setUp();
    const cached = await Promise.all(prompts(slotCount).map((prompt) => run(prompt)));
    expect(cached.toSorted((one, other) => one - other)).toEqual([0, ...Array(7).fill(512)]);
    expect(engine.calls.filter((call) => call.startsWith('save'))).toEqual(['save 0: 512']);
    expect(restoreCount()).toBe(7);
    expect(engine.readTokens).toBe(512 + slotCount * 8);
    expect(manager.table.isIdle).toBe(true);
  });

  it('save a beginning on tokens, within a block of the text', async () => {
    const { engine, run } = await setUp();
    await Promise.all(['x', 'y', 'z'].map((end) => run(`${prefix}same${end.repeat(40)}`)));
    expect(engine.calls).toContain('save 0: 513');
  });

  it('find it in memory when they come later, while the first ones still write', async () => {
    const { engine, run, restoreCount } = await setUp();
    const written = deferred<void>();
    engine.step = async (call) => {
      if (call.startsWith('end')) await written.promise;
    };
    const [one = '', two = '', three = ''] = prompts(3);
    const running = [run(one)];
    await expect.poll(() => engine.calls.some((call) => call.startsWith('generate'))).toBe(true);
    // The second request detects that it shares its beginning with the first one.
    running.push(run(two));
    await expect.poll(() => engine.calls).toContain('save 1: 512');
    running.push(run(three));
    await expect.poll(restoreCount).toBe(1);
    written.resolve();
    expect(await Promise.all(running)).toEqual([0, 0, 512]);
  });

  it('share nothing with those of another token', async () => {
    const { run, restoreCount, holdUntil } = await setUp();
    holdUntil(4);
    const cached = await Promise.all(
      prompts(4).map((prompt, index) => run(prompt, { tokenId: `token ${index}` })),
    );
    expect(cached).toEqual([0, 0, 0, 0]);
    expect(restoreCount()).toBe(0);
  });

  it('are not saved where states would be written to disk', async () => {
    const { run, savedFiles, holdUntil } = await setUp({ isMemory: false });
    holdUntil(3);
    expect(await Promise.all(prompts(3).map((prompt) => run(prompt)))).toEqual([0, 0, 0]);
    expect(await savedFiles()).toEqual([]);
  });

  it('read on when the first one is cancelled, or its reading fails', async () => {
    for (const fails of [true, false]) {
      const { engine, run, restoreCount, manager, holdUntil } = await setUp();
      const client = new AbortController();
      let count = 0;
      engine.step = async (call, signal) => {
        if (!call.startsWith('read')) return;
        count += 1;
        if (count !== 2) return;
        if (fails) throw new Error('no');
        client.abort(new Error('left'));
        signal.throwIfAborted();
      };
      holdUntil(fails ? slotCount : slotCount - 1);
      const [first, ...others] = prompts(slotCount).map((prompt, index) =>
        run(prompt, index === 0 ? { signal: client.signal } : {}),
      );
      const outcome = await first?.catch((error: Error) => error.message);
      expect(outcome).toBe(fails ? 0 : 'left');
      const cached = await Promise.all(others);
      expect(cached.filter((tokens) => tokens === 512)).toHaveLength(6);
      expect(restoreCount()).toBe(6);
      expect(manager.table.isIdle).toBe(true);
    }
  });

  it('read the whole prompt, one after the other, if states cannot be saved or restored', async () => {
    for (const failing of ['save', 'restore']) {
      const { engine, run, manager, holdUntil } = await setUp();
      engine.step = (call) =>
        call.startsWith(failing) ? Promise.reject(new Error('no')) : Promise.resolve();
      holdUntil(4);
      expect(await Promise.all(prompts(4).map((prompt) => run(prompt)))).toEqual([0, 0, 0, 0]);
      expect(manager.table.isIdle).toBe(true);
    }
  });

  it('end with any mixture of cancellations and failures', async () => {
    const random = seededRandom();
    for (let round = 0; round < 20; round += 1) {
      const { engine, run, manager } = await setUp();
      engine.step = async (_, signal) => {
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
      expect(manager.table.isIdle).toBe(true);
    }
  });
});

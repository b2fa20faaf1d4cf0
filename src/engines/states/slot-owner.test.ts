import { describe, expect, it, vi } from 'vitest';
import { managedInstance, promptOf } from '../../../test/setup/engines/managed-instance.ts';
import type { TokenEngine } from '../../../test/setup/engines/token-engine.ts';

/** Runs `fail` before a generation begins. @returns A function that lets generations begin again. */
function beforeGenerations(engine: TokenEngine, fail: () => void): () => void {
  const { step } = engine;
  engine.step = async (call, signal) => {
    await step(call, signal);
    if (call.startsWith('generate')) fail();
  };
  return () => {
    engine.step = step;
  };
}

describe('the prompt of a token in a slot', () => {
  const secret = promptOf('b', 200, { maxTokens: 1 });
  const other = promptOf('a', 2, { maxTokens: 1 });

  it.each(['fails', 'is canceled'])(
    'is not continued for another token whose request %s before the engine begins',
    async (how) => {
      const { engine, run } = await managedInstance({ slotCount: 1 });
      await run(secret, { tokenId: 'B' });
      const client = new AbortController();
      const repair = beforeGenerations(engine, () => {
        if (how === 'fails') throw new Error('refused');
        client.abort(new Error('left'));
        client.signal.throwIfAborted();
      });
      await expect(run(other, { tokenId: 'A', signal: client.signal })).rejects.toThrow(
        /refused|left/,
      );
      repair();
      expect(await run(secret, { tokenId: 'A' })).toMatchObject({ cachedTokens: 0 });
    },
  );
});

it('an answer that is canceled before it continues leaves no record in its new slot', async () => {
  const contextLength = 2000;
  const { engine, run, manager } = await managedInstance({
    slotCount: 2,
    contextLength,
    cacheSize: { totalCells: contextLength, contextLength },
    batchTokens: 2048,
    answerTokens: 1800,
    isMemory: false,
  });
  // The answers alternate.
  engine.step = () => new Promise(setImmediate);
  const client = new AbortController();
  const first = run(promptOf('a', 100, { maxTokens: 1300 }), { tokenId: 'A', clientKey: 'a' });
  await vi.waitFor(() => expect(engine.mostWriting).toBe(1));
  let begun = 0;
  beforeGenerations(engine, () => {
    begun += 1;
    if (begun < 2) return;
    client.abort(new Error('left'));
    client.signal.throwIfAborted();
  });
  const paused = run(promptOf('b', 300, { maxTokens: 900 }), {
    tokenId: 'B',
    clientKey: 'b',
    signal: client.signal,
  });
  await expect(paused).rejects.toThrow('left');
  expect(begun).toBe(2);
  const records = manager.table.slots.flatMap(({ content }) => content ?? []);
  const ofPaused = records.filter(({ ownerId }) => ownerId === 'B');
  expect(ofPaused.map(({ heldTokens }) => heldTokens)).toEqual([0]);
  await first;
});

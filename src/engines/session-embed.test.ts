import { expect, it, vi } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { openFrom, libraryOf, scriptedPoolWith } from '../../test/setup/instances/scripted-pool.ts';

const model = 'test/model';
const texts = Array.from({ length: 70 }, (_, index) => String(index));

/** A session on an instance with one slot, and a spy on the engine's `embed`. */
async function setUp() {
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(modelEntry()),
    defaults: { contextLength: 2048, parallel: 1 },
  });
  const session = await openFrom(pool, model);
  const [started] = launcher.processes;
  if (started === undefined) throw new Error('no engine');
  return { pool, session, embed: vi.spyOn(started.engine, 'embed') };
}

it('embeds many texts in pieces, between which others have their turn', async () => {
  const { pool, session, embed } = await setUp();
  const many = session.embed(texts);
  const other = await openFrom(pool, model, { clientKey: 'other' });
  await other.embed(['short']);
  const { vectors, promptTokens } = await many;
  const sizes = embed.mock.calls.map(([inputs]) => inputs.length);
  expect(sizes.filter((size) => size !== 1)).toEqual([32, 32, 6]);
  expect(sizes.at(-1)).toBe(6);
  expect([vectors.length, promptTokens]).toEqual([70, 70]);
  session.close();
  other.close();
});

it('embeds no further piece for a client that left', async () => {
  const { session, embed } = await setUp();
  embed.mockImplementationOnce(async () => {
    session.close();
    throw new Error('closed');
  });
  await expect(session.embed(texts)).rejects.toBeInstanceOf(Error);
  expect(embed).toHaveBeenCalledTimes(1);
});

import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import type { BackgroundTurnRepository, EndedStatus } from './background-turn.ts';

let turns: BackgroundTurnRepository;
beforeEach(async () => {
  ({ backgroundTurns: turns } = await temporaryStore());
});

const createdAt = new Date(1_800_000_000_000);
const endedAt = new Date(1_800_000_060_000);

const insert = (id: string, ownerId: string | null = null) =>
  turns.insert({ id, ownerId, createdAt, head: `{"id":"${id}"}` });

const piece = (id: string, first: number, count = 1) => ({
  id,
  first,
  count,
  events: JSON.stringify(Array.from({ length: count }, (_, index) => first + index)),
});

const end = (id: string, from: 'running' | 'recovering', status: EndedStatus = 'completed') =>
  turns.end(id, from, { status, error: null, endedAt });

it('is found from its beginning', async () => {
  await insert('a', 'tok_a');
  await insert('b');
  expect(await turns.find('a')).toEqual({
    id: 'a',
    ownerId: 'tok_a',
    createdAt,
    head: '{"id":"a"}',
    status: 'running',
    endedAt: null,
    error: null,
    draft: null,
  });
  expect(await turns.find('b')).toMatchObject({ id: 'b', ownerId: null });
  expect(await turns.find('c')).toBeUndefined();
});

it('has its draft until it ends', async () => {
  await insert('a');
  await insert('b');
  await turns.setDraft('a', '{}');
  expect(await turns.find('a')).toMatchObject({ draft: '{}' });
  expect(await turns.find('b')).toMatchObject({ draft: null });
  await end('a', 'running');
  expect(await turns.find('a')).toMatchObject({ draft: null });
});

it('ends once, from the status that its process expects', async () => {
  for (const id of ['a', 'b']) await insert(id);
  expect(await end('a', 'recovering')).toBe(false);
  const failure = { status: 'failed', error: '{"code":"x"}', endedAt } as const;
  expect(await turns.end('a', 'running', failure)).toBe(true);
  expect(await end('a', 'running')).toBe(false);
  expect(await turns.find('a')).toMatchObject(failure);
  expect(await turns.find('b')).toMatchObject({ status: 'running', endedAt: null });
});

it('is taken over by a process that recovers it, also a second one', async () => {
  for (const id of ['a', 'b', 'ended']) await insert(id);
  await end('ended', 'running');
  expect(await turns.recover('a')).toBe(true);
  expect(await turns.recover('a')).toBe(true);
  expect(await turns.recover('ended')).toBe(false);
  expect(await turns.recover('absent')).toBe(false);
  expect(await turns.find('a')).toMatchObject({ status: 'recovering' });
  expect(await turns.find('b')).toMatchObject({ status: 'running' });
  expect((await turns.runningIds()).toSorted()).toEqual(['a', 'b']);
  expect(await end('a', 'running')).toBe(false);
  expect(await end('a', 'recovering')).toBe(true);
  expect(await turns.runningIds()).toEqual(['b']);
});

it('keeps the events of several turns apart, and in their order', async () => {
  for (const id of ['a', 'b']) await insert(id);
  await turns.addEvents([piece('a', 3, 2), piece('b', 0), piece('a', 0, 3)]);
  await turns.addEvents([]);
  expect(await turns.eventsFrom('a', 0)).toEqual([piece('a', 0, 3), piece('a', 3, 2)]);
  expect(await turns.eventsFrom('b', 0)).toEqual([piece('b', 0)]);
});

it('reads the piece that has a position, and those after it', async () => {
  await insert('a');
  await turns.addEvents([piece('a', 0, 3), piece('a', 3, 2)]);
  expect(await turns.eventsFrom('a', 2)).toHaveLength(2);
  expect(await turns.eventsFrom('a', 3)).toEqual([piece('a', 3, 2)]);
  expect(await turns.eventsFrom('a', 4)).toEqual([piece('a', 3, 2)]);
  expect(await turns.eventsFrom('a', 5)).toEqual([]);
});

it('reads many events in several steps', async () => {
  await insert('a');
  const pieces = Array.from({ length: 60 }, (_, index) => piece('a', index));
  await turns.addEvents(pieces);
  const first = await turns.eventsFrom('a', 0);
  expect(first.length).toBeLessThan(pieces.length);
  expect([...first, ...(await turns.eventsFrom('a', first.length))]).toEqual(pieces);
});

it('keeps a piece that was written before', async () => {
  await insert('a');
  await turns.addEvents([piece('a', 0, 2)]);
  await turns.addEvents([piece('a', 0, 1), piece('a', 2, 1)]);
  await turns.addEnd(piece('a', 2, 9));
  expect(await turns.eventsFrom('a', 0)).toEqual([piece('a', 0, 2), piece('a', 2, 1)]);
});

it('takes events while it runs, and its last ones from the process that recovers it', async () => {
  await insert('a');
  await turns.recover('a');
  await turns.addEvents([piece('a', 0), piece('absent', 0)]);
  expect(await turns.eventsFrom('a', 0)).toEqual([]);
  expect(await turns.eventsFrom('absent', 0)).toEqual([]);
  await turns.addEnd(piece('a', 0, 2));
  expect(await turns.eventsFrom('a', 0)).toEqual([piece('a', 0, 2)]);
});

it('is cancelled only while it runs', async () => {
  for (const id of ['a', 'b', 'recovering', 'ended']) await insert(id);
  await turns.recover('recovering');
  await end('ended', 'running');
  expect(await turns.requestCancel('a')).toBe(true);
  expect(await turns.requestCancel('recovering')).toBe(false);
  expect(await turns.requestCancel('ended')).toBe(false);
  expect(await turns.requestCancel('absent')).toBe(false);
  expect(await turns.cancelRequested(['a', 'b', 'ended'])).toEqual(['a']);
  expect(await turns.cancelRequested(['b'])).toEqual([]);
  expect(await turns.cancelRequested([])).toEqual([]);
});

it('is deleted with all its events', async () => {
  for (const id of ['a', 'b']) await insert(id);
  await turns.addEvents(Array.from({ length: 600 }, (_, index) => piece('a', index)));
  await turns.addEvents([piece('b', 0)]);
  await turns.delete('a');
  expect(await turns.find('a')).toBeUndefined();
  expect(await turns.eventsFrom('a', 0)).toEqual([]);
  expect(await turns.find('b')).toBeDefined();
  expect(await turns.eventsFrom('b', 0)).toHaveLength(1);
});

it('is deleted some time after its end', async () => {
  for (const id of ['old', 'young', 'running']) {
    await insert(id);
    await turns.addEvents([piece(id, 0)]);
  }
  const after = new Date(endedAt.getTime() + 1);
  await end('old', 'running');
  await turns.end('young', 'running', { status: 'cancelled', error: null, endedAt: after });
  await turns.deleteEnded(after);
  expect(await turns.find('old')).toBeUndefined();
  expect(await turns.eventsFrom('old', 0)).toEqual([]);
  expect(await turns.find('young')).toMatchObject({ status: 'cancelled', endedAt: after });
  expect(await turns.find('running')).toBeDefined();
});

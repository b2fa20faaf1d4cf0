import { expect, it } from 'vitest';
import type { EventTopic } from '../../v1/server/server-event-schema.ts';
import { EventFeed, type FeedEntry } from './event-feed.ts';

const deleted = (model: string) => ({ type: 'model.deleted' as const, model, freed_bytes: 0 });
const only = (topic: EventTopic) => new Set([topic]);
const models = only('models');
const modelOf = ({ data }: FeedEntry) => (JSON.parse(data) as { model: string }).model;

it('gives the events after a position, and none before those that it keeps', () => {
  const feed = new EventFeed({ capacity: 2 });
  for (const model of ['a', 'b', 'c', 'd']) feed.add('models', deleted(model));
  expect(feed.sequence).toBe(4);
  expect(feed.since(4, models)).toEqual([]);
  expect(feed.since(2, models)?.map(modelOf)).toEqual(['c', 'd']);
  expect(feed.since(1, models)).toBeUndefined();
});

it('keeps the events of a topic while another one is busy', () => {
  const feed = new EventFeed({ capacity: 2 });
  feed.add('models', deleted('first'));
  for (let count = 0; count < 10; count += 1) {
    feed.add('requests', { type: 'events.dropped', count });
  }
  feed.add('models', deleted('last'));
  expect(feed.since(0, models)?.map(modelOf)).toEqual(['first', 'last']);
  expect(feed.positionOf(feed.idOf(1), models)).toBe(1);
  const both = new Set<EventTopic>(['models', 'requests']);
  expect(feed.since(1, both)).toBeUndefined();
  expect(feed.since(9, both)?.map(({ sequence }) => sequence)).toEqual([10, 11, 12]);
});

it('reports its first reader once, before it reads', () => {
  const seen: number[] = [];
  const feed = new EventFeed({ onFirstReader: () => seen.push(seen.length) });
  const reader = feed.open(models);
  expect(reader.takeUnread()).toBe(0);
  reader.close();
  feed.open(models);
  expect(seen).toEqual([0]);
});

it('knows the ids of its own events only', () => {
  const feed = new EventFeed({ capacity: 2 });
  const positionOf = (id: string) => feed.positionOf(id, models);
  expect(positionOf(feed.idOf(0))).toBe(0);
  for (const model of ['a', 'b', 'c', 'd']) feed.add('models', deleted(model));
  expect(positionOf(feed.idOf(3))).toBe(3);
  const foreign = [
    feed.idOf(0),
    feed.idOf(5),
    `${feed.idOf(3)}x`,
    '',
    '-3',
    'abc-3',
    feed.idOf(-1),
  ];
  expect(foreign.map(positionOf)).toEqual(foreign.map(() => undefined));
  expect(positionOf(new EventFeed().idOf(0))).toBeUndefined();
});

it('wakes the readers of a topic, and all when it is closed', async () => {
  const feed = new EventFeed();
  const ofModels = feed.open(models);
  const downloads = feed.open(only('downloads'));
  const { signal } = new AbortController();
  const woken: string[] = [];
  const waits = [
    ofModels.next(signal).then(() => woken.push('models')),
    downloads.next(signal).then(() => woken.push('downloads')),
  ];
  feed.add('models', deleted('a'));
  await waits[0];
  expect(woken).toEqual(['models']);
  expect([feed.hasReaders('models'), feed.hasReaders('requests')]).toEqual([true, false]);
  ofModels.close();
  expect(feed.hasReaders('models')).toBe(false);
  feed.close();
  await waits[1];
  expect(woken).toEqual(['models', 'downloads']);
});

it('wakes a reader whose signal aborts', async () => {
  const reader = new EventFeed().open(models);
  const controller = new AbortController();
  const waiting = reader.next(controller.signal);
  controller.abort();
  await expect(waiting).resolves.toBeUndefined();
  await expect(reader.next(controller.signal)).resolves.toBeUndefined();
});

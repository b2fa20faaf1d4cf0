import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, withIdlePriority, priorities, withPriority } from './fair-queue.ts';

function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item.slice(0, 1), item);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let item = queue.first; item !== undefined; item = queue.first) {
    order.push(item);
    queue.remove(item.slice(0, 1), item);
  }
  return order;
}

it('alternates between clients and keeps the order of each client', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  expect(queue.length).toBe(6);
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.length).toBe(0);
  expect(queue.first).toBeUndefined();
});

it('puts a new client at the end of the round', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  queue.remove('a', 'a1');
  queue.add('c', 'c1');
  expect(drain(queue)).toEqual(['b1', 'a2', 'c1']);
});

it('keeps the turn of a client when an item other than its first is removed', () => {
  const queue = queueOf('a1', 'a2', 'b1', 'b2');
  queue.remove('a', 'a2');
  queue.remove('b', 'b1');
  expect(drain(queue)).toEqual(['a1', 'b2']);
});

it('ignores an unknown item', () => {
  const queue = queueOf('a1');
  queue.remove('a', 'a2');
  queue.remove('b', 'a1');
  expect(queue.length).toBe(1);
  expect(queue.first).toBe('a1');
});

it('lets clients that are last in turn wait for all others', () => {
  const queue = new FairQueue<string>();
  const late = withIdlePriority('a');
  queue.add(late, 'late 1');
  queue.add(late, 'late 2');
  expect([queue.first, queue.urgent]).toEqual(['late 1', undefined]);
  queue.add('a', 'a1');
  queue.add('b', 'b1');
  expect([queue.length, queue.first, queue.urgent]).toEqual([4, 'a1', 'a1']);
  expect(queue.displacedBy('a')).toBe('late 2');
  expect(queue.displacedBy(late)).toBeUndefined();
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  expect([queue.length, queue.first]).toEqual([2, 'late 1']);
});

describe('displacedBy', () => {
  it('returns the newest item of the client with the most items', () => {
    expect(queueOf('a1', 'b1', 'b2', 'b3').displacedBy('c')).toBe('b3');
  });

  it.each([
    ['c', ['a1', 'b1', 'b2'], 'b2'],
    ['a', ['a1', 'b1', 'b2'], undefined],
    ['a', ['a1', 'b1', 'b2', 'b3'], 'b3'],
    ['b', ['a1', 'b1', 'b2', 'b3'], undefined],
    ['c', ['a1', 'b1'], undefined],
    ['a', [], undefined],
  ])('for %s among %j: %s', (clientKey, items, displaced) => {
    expect(queueOf(...items).displacedBy(clientKey)).toBe(displaced);
  });
});

describe('positionOf', () => {
  it('is the order in which the items come', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    const order = drain(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2'));
    const positions = order.map((item) => queue.positionOf(item.slice(0, 1), item));
    expect(positions).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('follows the turns of the clients', () => {
    const queue = queueOf('a1', 'a2', 'b1', 'b2');
    queue.remove('a', 'a1');
    expect(['b1', 'a2', 'b2'].map((item) => queue.positionOf(item.slice(0, 1), item))).toEqual([
      1, 2, 3,
    ]);
  });

  it('counts all others before a client that is last in turn, and 0 for an unknown item', () => {
    const queue = queueOf('a1', 'b1');
    queue.add(withIdlePriority('a'), 'late');
    expect(queue.positionOf(withIdlePriority('a'), 'late')).toBe(3);
    expect(queue.positionOf('a', 'late')).toBe(0);
  });
});

describe('priorities', () => {
  const key = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    priority: fc.constantFrom(...priorities),
  });
  const keyOf = ({ client, priority }: { client: string; priority: (typeof priorities)[number] }) =>
    withPriority(client, priority);

  it('come in their order, fair between the clients of each', () => {
    const queue = new FairQueue<string>();
    const items: [string, string][] = [
      [withIdlePriority('a'), 'batch'],
      [withPriority('a', 'background'), 'late'],
      ['a', 'a1'],
      ['a', 'a2'],
      ['b', 'b1'],
      [withPriority('c', 'interactive'), 'c1'],
      [withPriority('c', 'interactive'), 'c2'],
      [withPriority('d', 'interactive'), 'd1'],
    ];
    for (const [clientKey, item] of items) queue.add(clientKey, item);
    const order = ['c1', 'd1', 'c2', 'a1', 'b1', 'a2', 'late', 'batch'];
    const keys = new Map(items.map(([clientKey, item]) => [item, clientKey]));
    expect(order.map((item) => queue.positionOf(keys.get(item) ?? '', item))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    for (const item of order) {
      expect(queue.first).toBe(item);
      queue.remove(keys.get(item) ?? '', item);
    }
    expect(queue.length).toBe(0);
  });

  // covers server-31
  it('let no class starve, however many items of the others come', () => {
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 1, maxLength: 20 }),
        fc.infiniteStream(key),
        (start, more) => {
          const queue = new FairQueue<{ readonly clientKey: string; readonly mark: boolean }>();
          for (const each of start) queue.add(keyOf(each), { clientKey: keyOf(each), mark: true });
          let left = start.length;
          // Each class has a turn in ten at least.
          for (let turn = 0; left > 0 && turn < start.length * 60; turn += 1) {
            const item = queue.first;
            if (item === undefined) throw new Error('empty');
            queue.remove(item.clientKey, item);
            if (item.mark) left -= 1;
            const { value } = more.next();
            queue.add(keyOf(value), { clientKey: keyOf(value), mark: false });
          }
          expect(left).toBe(0);
        },
      ),
    );
  });

  it('give a class one turn after eight of the others', () => {
    const queue = new FairQueue<string>();
    queue.add(withPriority('x', 'background'), 'late');
    const urgent = withPriority('y', 'interactive');
    for (let count = 0; count < 20; count += 1) queue.add(urgent, `item ${count}`);
    for (let count = 0; count < 8; count += 1) queue.remove(urgent, `item ${count}`);
    expect(queue.first).toBe('late');
    queue.remove(withPriority('x', 'background'), 'late');
    expect(queue.first).toBe('item 8');
  });

  it('displace items of lower classes from a full queue, never of higher ones', () => {
    const queue = new FairQueue<string>();
    queue.add(withPriority('x', 'background'), 'late');
    queue.add('a', 'a1');
    expect(queue.displacedBy(withPriority('y', 'interactive'))).toBe('late');
    expect(queue.displacedBy('b')).toBe('late');
    expect(queue.displacedBy(withPriority('z', 'background'))).toBeUndefined();
    queue.remove(withPriority('x', 'background'), 'late');
    expect(queue.displacedBy(withPriority('y', 'interactive'))).toBe('a1');
  });
});

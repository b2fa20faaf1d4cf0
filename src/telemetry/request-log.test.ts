import { expect, it } from 'vitest';
import { RequestLog } from './request-log.ts';
import { RequestRecord, type RecordOptions } from '../kernel/request/request-record.ts';
import { ServerEvents } from '../kernel/events/server-events.ts';

function setUp(options: { readonly capacity?: number; readonly maxTextLength?: number } = {}) {
  const events = new ServerEvents((error) => {
    throw error;
  });
  const log = new RequestLog({ events, capacity: 10, ...options });
  const begin = (requestId: string, more: Partial<RecordOptions> = {}): RequestRecord => {
    const record = new RequestRecord({ requestId, method: 'GET', path: '/x', events, ...more });
    record.begin('/x', null);
    return record;
  };
  const ids = (): readonly string[] => log.list().map(({ requestId }) => requestId);
  return { log, begin, ids };
}

it('lists running and ended requests, newest first, and keeps the latest', () => {
  const { log, begin, ids } = setUp({ capacity: 2 });
  const [first, second, third] = ['a', 'b', 'c'].map((id) => begin(id));
  expect(log.running.size).toBe(3);
  first?.finish(200, true);
  third?.finish(200, true);
  expect(ids()).toEqual(['c', 'b', 'a']);
  second?.finish(404, true);
  expect(ids()).toEqual(['c', 'b']);
  expect(log.find('b')?.state).toBe('failed');
  expect(log.find(second?.id ?? '')).toBe(second);
  expect(log.find('a')).toBeUndefined();
});

it('finds the newest of requests with the same request id', () => {
  const { log, begin } = setUp();
  begin('same').finish(200, true);
  const newest = begin('same');
  expect(log.find('same')).toBe(newest);
});

it('leaves out polls that succeed, and keeps nothing without a capacity', () => {
  const { begin, ids } = setUp();
  begin('ok', { isPoll: true }).finish(200, true);
  begin('failed', { isPoll: true }).finish(503, true);
  expect(ids()).toEqual(['failed']);
  const none = setUp({ capacity: 0 });
  none.begin('a').finish(200, true);
  expect(none.ids()).toEqual([]);
});

it('keeps a bounded amount of text, that of responses in the background too', () => {
  const { begin, ids } = setUp({ maxTextLength: 10_000 });
  const record = begin('background', { keepsPrompts: true });
  const generation = record.beginGeneration('chat');
  record.finish(200, true);
  begin('other').finish(200, true);
  generation.noteText('output', 'x'.repeat(9000));
  generation.end({ stopReason: 'eosFound' });
  expect(ids()).toEqual(['other']);
});

it('records what a request does, and how it ends', () => {
  const { begin } = setUp();
  const record = begin('r', { keepsPrompts: true });
  const queue = record.beginPhase({ name: 'queue' });
  expect(record.activity).toBe('queued');
  queue.end();
  const generation = record.beginGeneration('chat');
  expect(record.activity).toBe('prompt');
  for (let count = 0; count < 3; count += 1) generation.noteTokens();
  expect(record.activity).toBe('generating');
  expect(generation.tokenCount).toBe(3);
  expect(generation.intervals.counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  generation.noteText('prompt', 'x'.repeat(300_000));
  expect(generation.texts).toMatchObject({ isTruncated: true });
  expect(generation.texts?.prompt).toHaveLength(256 * 1024);
  record.finish(200, false);
  expect(record.state).toBe('cancelled');
});

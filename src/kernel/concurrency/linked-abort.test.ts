import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { linkAbort } from './linked-abort.ts';

it('aborts with the first of the signals, with its reason', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const link = linkAbort(one.signal, undefined, null, two.signal);
  expect(link.signal.aborted).toBe(false);
  two.abort('second');
  one.abort('first');
  expect(link.signal.reason).toBe('second');
});

it('is already aborted if one of the signals is', () => {
  const other = new AbortController();
  const link = linkAbort(other.signal, AbortSignal.abort('already'));
  expect(link.signal.reason).toBe('already');
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
});

it('can be aborted itself without affecting the other signals', () => {
  const other = new AbortController();
  const link = linkAbort(other.signal);
  link.abort('own');
  other.abort('late');
  expect(link.signal.reason).toBe('own');
});

it('removes its listeners', () => {
  const other = new AbortController();
  const disposed = linkAbort(other.signal);
  disposed.dispose();
  disposed.dispose();
  linkAbort(other.signal).abort();
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
  other.abort();
  expect(disposed.signal.aborted).toBe(false);
});

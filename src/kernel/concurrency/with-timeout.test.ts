import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { abortable } from './abortable.ts';
import { TimeoutError, withTimeout } from './with-timeout.ts';

const never = new Promise<never>(() => {});

describe('abortable', () => {
  it('settles like the promise', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(7), signal)).toBe(7);
    await expect(abortable(Promise.reject(new Error('own')), signal)).rejects.toThrow('own');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('throws the reason of the signal, even if it was aborted before', async () => {
    const controller = new AbortController();
    const waiting = abortable(never, controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(abortable(Promise.reject(new Error('own')), controller.signal)).rejects.toThrow(
      'gone',
    );
  });
});

describe('withTimeout', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('returns the result of the task and leaves no timer or listener behind', async () => {
    const { signal } = new AbortController();
    expect(await withTimeout(1000, signal, async () => 7)).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('throws the error of the task', async () => {
    const { signal } = new AbortController();
    await expect(withTimeout(1000, signal, () => Promise.reject(new Error('own')))).rejects.toThrow(
      'own',
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts the signal of the task after the timeout', async () => {
    let inner: AbortSignal | undefined;
    const waiting = withTimeout(1000, new AbortController().signal, (signal) => {
      inner = signal;
      return never;
    });
    const outcome = waiting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(999);
    expect(inner?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBeInstanceOf(TimeoutError);
    expect(inner?.reason).toBeInstanceOf(TimeoutError);
  });

  it('throws TimeoutError if the task throws its own error on abort', async () => {
    const waiting = withTimeout(
      10,
      new AbortController().signal,
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('AbortError')));
        }),
    );
    const outcome = waiting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    expect(await outcome).toBeInstanceOf(TimeoutError);
  });

  it('throws the reason of the outer signal, and does not run the task if it was already aborted', async () => {
    const outer = new AbortController();
    const reason = new Error('gone');
    const waiting = withTimeout(1000, outer.signal, () => never);
    outer.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const task = vi.fn<() => Promise<number>>(async () => 1);
    await expect(withTimeout(1000, outer.signal, task)).rejects.toBe(reason);
    expect(task).not.toHaveBeenCalled();
  });
});

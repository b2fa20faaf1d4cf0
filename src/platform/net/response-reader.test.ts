import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ResponseReader } from './response-reader.ts';

/** The controller that undici passes to a handler, with a record of calls. */
function fakeController() {
  const aborts: Error[] = [];
  const controller = {
    paused: false,
    aborted: false,
    reason: null,
    rawHeaders: null,
    rawTrailers: null,
    pause: () => {
      controller.paused = true;
    },
    resumed: 0,
    resume: () => {
      controller.paused = false;
      controller.resumed += 1;
    },
    abort: (error: Error) => void aborts.push(error),
  };
  return { controller, aborts };
}

function setUp(options: { readonly pauseAboveBytes?: number } = {}) {
  const abortion = new AbortController();
  const reader = new ResponseReader({ signal: abortion.signal, ...options });
  const { controller, aborts } = fakeController();
  const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    promise.then(settle, settle);
    await vi.advanceTimersByTimeAsync(0);
    return settled;
  };
  return {
    abortion,
    reader,
    controller,
    aborts,
    isSettled,
    start: () => reader.onRequestStart(controller),
    head: (status = 200) => reader.onResponseStart(controller, status, { 'x-a': 'b' }),
    data: (text: string) => reader.onResponseData(controller, Buffer.from(text)),
    text: async () => (await reader.read())?.map(String),
  };
}

/** A response with batches every 100 ms, the first of which was read. */
async function setUpPaced() {
  const paced = setUp();
  paced.start();
  paced.head();
  paced.reader.setMinimumInterval(100);
  await vi.advanceTimersByTimeAsync(1000);
  paced.data('a');
  expect(await paced.text()).toEqual(['a']);
  return paced;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the start', () => {
  it('waits for the response itself', async () => {
    const { reader, start, head, isSettled } = setUp();
    const started = reader.started();
    start();
    head(103);
    expect(await isSettled(started)).toBe(false);
    head(200);
    await started;
    expect([reader.status, reader.headers]).toEqual([200, { 'x-a': 'b' }]);
  });

  it('fails with the error of the request', async () => {
    const { reader, controller } = setUp();
    const failure = new Error('refused');
    const started = reader.started();
    reader.onResponseError(controller, failure);
    await expect(started).rejects.toBe(failure);
  });

  it('fails if the signal is aborted before the request begins, which ends at once', async () => {
    const { reader, abortion, start, aborts } = setUp();
    abortion.abort(new Error('stopped'));
    expect(aborts).toEqual([]);
    start();
    expect(aborts).toHaveLength(1);
    await expect(reader.started()).rejects.toThrow('stopped');
  });

  it('does not abort a live request', () => {
    const { start, aborts } = setUp();
    start();
    expect(aborts).toEqual([]);
  });
});

describe('reading', () => {
  it('returns all bytes since the last read, to the end', async () => {
    const { reader, start, head, data, text, isSettled } = setUp();
    start();
    head();
    data('a');
    data('b');
    expect(await text()).toEqual(['a', 'b']);
    const next = text();
    expect(await isSettled(next)).toBe(false);
    data('c');
    expect(await next).toEqual(['c']);
    data('d');
    reader.onResponseEnd();
    expect(await text()).toEqual(['d']);
    expect(await text()).toBeUndefined();
    expect(await text()).toBeUndefined();
  });

  it('wakes at the end', async () => {
    const { reader, start, head, text } = setUp();
    start();
    head();
    const next = text();
    reader.onResponseEnd();
    expect(await next).toBeUndefined();
  });

  it('returns the chunks of one socket read together to a waiting reader', async () => {
    const { start, head, data, text } = setUp();
    start();
    head();
    const next = text();
    data('a');
    data('b');
    expect(await next).toEqual(['a', 'b']);
  });

  it('throws what its caller makes of a failure', async () => {
    const { reader, controller, start, head } = setUp();
    start();
    head();
    const next = reader.read((reason) => new Error('lost', { cause: reason }));
    const reason = new Error('broke off');
    reader.onResponseError(controller, reason);
    await expect(next).rejects.toMatchObject({ message: 'lost', cause: reason });
  });

  it('returns bytes before an error, then throws it', async () => {
    const { reader, controller, start, head, data, text } = setUp();
    start();
    head();
    data('a');
    reader.onResponseError(controller, new Error('broke off'));
    expect(await text()).toEqual(['a']);
    await expect(text()).rejects.toThrow('broke off');
  });

  it('pauses only above the limit, and resumes with the next read', async () => {
    const { controller, start, head, data, text } = setUp({ pauseAboveBytes: 4 });
    start();
    head();
    data('aa');
    data('bb');
    expect(controller.paused).toBe(false);
    data('c');
    expect(controller.paused).toBe(true);
    expect(await text()).toEqual(['aa', 'bb', 'c']);
    expect(controller.paused).toBe(false);
    data('e');
    expect(await text()).toEqual(['e']);
    expect(controller.resumed).toBe(1);
    data('dddd');
    expect(controller.paused).toBe(false);
  });

  it('delays bytes that arrive too soon after the last batch', async () => {
    const { data, text, isSettled } = await setUpPaced();
    await vi.advanceTimersByTimeAsync(40);
    const next = text();
    // A waiting reader is not woken; a new read returns the buffered bytes.
    data('b');
    expect(await isSettled(next)).toBe(false);
    await vi.advanceTimersByTimeAsync(30);
    data('c');
    await vi.advanceTimersByTimeAsync(29);
    expect(await isSettled(next)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toEqual(['b', 'c']);
    await vi.advanceTimersByTimeAsync(99);
    const soon = text();
    data('x');
    expect(await isSettled(soon)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await soon).toEqual(['x']);
    await vi.advanceTimersByTimeAsync(99.5);
    const last = text();
    data('d');
    expect(await last).toEqual(['d']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('delivers no second batch at once after a timer that was early', async () => {
    const { data, text, isSettled } = await setUpPaced();
    const due = text();
    data('b');
    const now = performance.now();
    // Timers count whole milliseconds from the beginning of a turn of the event loop.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 99.2);
    await vi.advanceTimersByTimeAsync(100);
    expect(await due).toEqual(['b']);
    clock.mockReturnValue(now + 100.3);
    const next = text();
    data('c');
    expect(await isSettled(next)).toBe(false);
    clock.mockRestore();
    await vi.advanceTimersByTimeAsync(100);
    expect(await next).toEqual(['c']);
  });
});

describe('ending early', () => {
  it('closes the socket, drops unread bytes and throws the reason', async () => {
    const { reader, aborts, start, head, data, text } = setUp();
    start();
    head();
    data('a');
    reader.abort(new Error('not wanted'));
    expect(aborts).toEqual([new Error('aborted')]);
    await expect(text()).rejects.toThrow('not wanted');
  });

  it('with the signal throws its reason, and wakes a waiting reader', async () => {
    const { abortion, aborts, start, head, text } = setUp();
    start();
    head();
    const next = text();
    const reason = new Error('stopped');
    abortion.abort(reason);
    await expect(next).rejects.toBe(reason);
    expect(aborts).toHaveLength(1);
  });

  it('keeps the first reason', async () => {
    const { reader, start, head, text } = setUp();
    start();
    head();
    reader.abort(new Error('first'));
    reader.abort(new Error('second'));
    await expect(text()).rejects.toThrow('first');
  });

  it('of a complete response keeps its socket', () => {
    const { reader, aborts, start, head } = setUp();
    start();
    head();
    reader.onResponseEnd();
    reader.abort(new Error('not wanted'));
    expect(aborts).toEqual([]);
  });

  it('is possible before anything was sent', async () => {
    const { reader, text } = setUp();
    reader.abort(new Error('not wanted'));
    await expect(text()).rejects.toThrow('not wanted');
  });
});

describe('the signal', () => {
  it.each([
    [
      'has been read to its end',
      async (set: ReturnType<typeof setUp>) => {
        set.reader.onResponseEnd();
        await set.text();
      },
    ],
    [
      'failed',
      async (set: ReturnType<typeof setUp>) => {
        set.reader.onResponseError(set.controller, new Error('broke off'));
      },
    ],
    [
      'was ended early',
      async (set: ReturnType<typeof setUp>) => {
        set.reader.abort(new Error('not wanted'));
      },
    ],
  ])('is released once the response %s', async (_, finish) => {
    const set = setUp();
    set.start();
    set.head();
    expect(getEventListeners(set.abortion.signal, 'abort')).toHaveLength(1);
    await finish(set);
    expect(getEventListeners(set.abortion.signal, 'abort')).toHaveLength(0);
  });
});

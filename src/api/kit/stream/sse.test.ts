import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { eventStream, type SseMessage } from './sse.ts';

function open(source: AsyncIterable<SseMessage>, heartbeatMs?: number) {
  const logged: string[] = [];
  const logger = createLogger('error', { write: (line) => logged.push(line) });
  const abort = new AbortController();
  const response = eventStream(source, {
    signal: abort.signal,
    logger,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no body');
  const read = async () => {
    const { value, done } = await reader.read();
    return done ? undefined : Buffer.from(value as Uint8Array).toString();
  };
  return { response, reader, read, abort, logged };
}

/** Yields the pushed messages and counts how often it is read and returned. */
function pushable() {
  const waiting: ((result: IteratorResult<SseMessage>) => void)[] = [];
  const pushed: SseMessage[] = [];
  const state = { reads: 0, returned: 0 };
  const source: AsyncIterable<SseMessage> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        state.reads += 1;
        const value = pushed.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        return new Promise((resolve) => waiting.push(resolve));
      },
      return: async () => {
        state.returned += 1;
        waiting.splice(0).forEach((resolve) => resolve({ done: true, value: undefined }));
        return { done: true, value: undefined };
      },
    }),
  };
  const push = (data: string) => {
    const resolve = waiting.shift();
    if (resolve === undefined) pushed.push({ data });
    else resolve({ done: false, value: { data } });
  };
  return { source, state, push };
}

async function* messages(count: number): AsyncGenerator<SseMessage> {
  for (let index = 0; index < count; index += 1) yield { data: String(index) };
}

describe('the form of events', () => {
  it('has an event name where one is given, and a data line for each line', async () => {
    async function* source(): AsyncGenerator<SseMessage> {
      yield { event: 'chat.start', data: '{"type":"chat.start"}' };
      yield { data: 'a\nb\r\nc\rd' };
      yield { data: 'ü' };
    }
    const { read, response } = open(source());
    expect(await read()).toBe(
      'event: chat.start\ndata: {"type":"chat.start"}\n\ndata: a\ndata: b\ndata: c\ndata: d\n\ndata: ü\n\n',
    );
    expect(await read()).toBeUndefined();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });
});

describe('what is ready at once', () => {
  it('goes out together, through layers of generators', async () => {
    async function* layered(source: AsyncGenerator<SseMessage>): AsyncGenerator<SseMessage> {
      for await (const message of source) yield message;
    }
    const { read } = open(layered(layered(layered(messages(100)))));
    expect((await read())?.match(/data: /g)).toHaveLength(100);
    expect(await read()).toBeUndefined();
  });

  it('is cut into chunks of a bounded size', async () => {
    const { read } = open(messages(100_000));
    let count = 0;
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) {
      expect(chunk.length).toBeLessThan(257 * 1024);
      count += chunk.match(/data: /g)?.length ?? 0;
    }
    expect(count).toBe(100_000);
  });

  it('does not wait for what is not ready', async () => {
    const { source, push } = pushable();
    const { read } = open(source);
    const first = read();
    push('a');
    expect(await first).toBe('data: a\n\n');
    const second = read();
    push('b');
    expect(await second).toBe('data: b\n\n');
  });
});

describe('a reader that does not read', () => {
  it('leaves a source alone that it has not begun to read', async () => {
    const { source, state } = pushable();
    open(source);
    await new Promise(setImmediate);
    expect(state.reads).toBe(0);
  });

  // covers server-28
  it('lets the source end, so that its slot is free, and gets the rest later', async () => {
    let isReturned = false;
    async function* source(): AsyncGenerator<SseMessage> {
      try {
        yield* messages(5000);
      } finally {
        isReturned = true;
      }
    }
    const { read } = open(source());
    let text = (await read()) ?? '';
    await vi.waitFor(() => expect(isReturned).toBe(true));
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) text += chunk;
    expect(text.match(/data: /g)).toHaveLength(5000);
  });

  it('stops a source without end', async () => {
    const { source, state, push } = pushable();
    const { read } = open(source);
    for (let count = 0; count < 100; count += 1) push('x'.repeat(10_000));
    await read();
    await new Promise(setImmediate);
    expect(state.reads).toBeLessThan(40);
  });
});

describe('the heartbeat', () => {
  // covers v1-event-12
  it('comes before the first event of a source that waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { source } = pushable();
    const { read, reader } = open(source);
    for (let beat = 0; beat < 2; beat += 1) {
      const next = read();
      await new Promise(setImmediate);
      vi.advanceTimersByTime(15_000);
      expect(await next).toBe(': ping\n\n');
    }
    await reader.cancel();
  });

  it('breaks a silence, and only that', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { source, push } = pushable();
      const { read, reader } = open(source, 1000);
      const first = read();
      await new Promise(setImmediate);
      vi.advanceTimersByTime(999);
      push('a');
      expect(await first).toBe('data: a\n\n');
      const second = read();
      vi.advanceTimersByTime(999);
      push('b');
      expect(await second).toBe('data: b\n\n');
      const third = read();
      await new Promise(setImmediate);
      vi.advanceTimersByTime(1000);
      expect(await third).toBe(': ping\n\n');
      await reader.cancel();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the end', () => {
  it('comes with the source, whose timer and listener go', async () => {
    const { read, abort } = open(messages(1));
    const removed = vi.spyOn(abort.signal, 'removeEventListener');
    await read();
    expect(await read()).toBeUndefined();
    expect(removed).toHaveBeenCalledOnce();
  });

  it('comes when the reader cancels: the source is returned once', async () => {
    const { source, state } = pushable();
    const { read, reader, abort } = open(source);
    const pending = read();
    await reader.cancel();
    abort.abort();
    expect(await pending).toBeUndefined();
    expect(state.returned).toBe(1);
  });

  it('comes when the client has gone, even before anything was read', async () => {
    const { source, state } = pushable();
    const { read, abort } = open(source);
    abort.abort(new Error('gone'));
    expect(state.returned).toBe(1);
    expect(await read()).toBeUndefined();
  });

  it('waits for the last messages of the source when the server stops', async () => {
    const { source, state, push } = pushable();
    const { read, abort } = open(source);
    const first = read();
    abort.abort(new HearthError('shutting_down', 'The server is stopping.'));
    push('chat.end');
    expect(await first).toBe('data: chat.end\n\n');
    expect(state.returned).toBe(0);
  });

  it('comes after what was ready when the source throws, and is logged', async () => {
    async function* source(): AsyncGenerator<SseMessage> {
      yield { data: 'a' };
      throw new TypeError('broken');
    }
    const { read, logged } = open(source());
    expect(await read()).toBe('data: a\n\n');
    expect(await read()).toBeUndefined();
    expect(logged.join()).toContain('broken');
  });

  it('is not logged where the source throws because the client has gone', async () => {
    const abort = new AbortController();
    async function* source(): AsyncGenerator<SseMessage> {
      yield { data: 'a' };
      await new Promise((_, reject) => abort.signal.addEventListener('abort', reject));
    }
    const logged: string[] = [];
    const logger = createLogger('error', { write: (line) => logged.push(line) });
    const response = eventStream(source(), { signal: abort.signal, logger });
    const text = response.text();
    await new Promise(setImmediate);
    abort.abort();
    await text;
    await new Promise(setImmediate);
    expect(logged).toEqual([]);
  });
});

it('cleans a source up that was never read', async () => {
  let isCleanedUp = false;
  async function* source(): AsyncGenerator<SseMessage> {
    try {
      yield { data: 'first' };
    } finally {
      isCleanedUp = true;
    }
  }
  const response = eventStream(source(), {
    signal: AbortSignal.abort(),
    logger: createLogger('silent'),
  });
  await response.body?.cancel();
  await expect.poll(() => isCleanedUp).toBe(true);
});

it('has no timer for a client that has left before the stream is read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const left = AbortSignal.abort();
  const response = eventStream(messages(1), { signal: left, logger: createLogger('silent') });
  expect(await response.text()).toBe('');
  expect(vi.getTimerCount()).toBe(0);
});

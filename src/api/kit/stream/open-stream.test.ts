import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testContext } from '../../../../test/setup/test-context.ts';
import { collect } from '../../../../test/setup/collect.ts';
import { deferred } from '../../../../test/setup/deferred.ts';
import { createChannel } from '../../../kernel/concurrency/channel.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { openStream, type StreamItem, toStreamError } from './open-stream.ts';

const crashed = new HearthError('crashed', 'It stopped.');

/** Writes the types of events; `silent` has no message. */
const format = {
  write: (item: StreamItem): readonly string[] => {
    const { type, error } = 'event' in item ? item.event : item;
    if (type === 'turn.error' && error !== undefined) throw error;
    return type === 'silent' ? [] : [type];
  },
  fail: (error: HearthError) => [`failed: ${error.code}`],
  end: () => ['[DONE]'],
};

/** A source whose events are pushed. */
function scripted() {
  const events = createChannel<StreamItem>();
  const ended = vi.fn<() => void>();
  async function* source(): AsyncGenerator<StreamItem> {
    try {
      yield* events;
    } finally {
      ended();
    }
  }
  return { ...events, source: source(), push: events.push, close: events.close, ended };
}

/** Opens a stream; `isOpen` is true when its head is due. */
function open(source: AsyncGenerator<StreamItem>) {
  const state = { isOpen: false };
  const stream = openStream(source, format, testContext());
  stream.then(
    () => (state.isOpen = true),
    () => {},
  );
  return { stream, state };
}

const settle = () => new Promise(setImmediate);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  const timerCount = vi.getTimerCount();
  vi.useRealTimers();
  if (timerCount > 0) throw new Error('The stream left its timer.');
});

describe('the head of a stream', () => {
  it('comes with the first message', async () => {
    const { source, push, close } = scripted();
    const { stream, state } = open(source);
    push({ type: 'silent' });
    await settle();
    expect(state.isOpen).toBe(false);
    push({ type: 'message.delta' });
    await stream;
    push({ type: 'turn.end' });
    close();
    expect(await collect(await stream)).toEqual(['message.delta', 'turn.end', '[DONE]']);
  });

  it('waits for more than events after which the request may be refused', async () => {
    const { source, push, close } = scripted();
    const { stream, state } = open(source);
    push({ type: 'turn.start' });
    push({ type: 'prompt.start' });
    await settle();
    expect(state.isOpen).toBe(false);
    push({ type: 'queued' });
    close();
    expect(await collect(await stream)).toEqual(['turn.start', 'prompt.start', 'queued', '[DONE]']);
  });

  it('comes 500 ms after the first event of a request that waits', async () => {
    const { source, push, close } = scripted();
    const { stream, state } = open(source);
    vi.advanceTimersByTime(60_000);
    await settle();
    push({ index: 0, event: { type: 'completion.start' } });
    await settle();
    vi.advanceTimersByTime(499);
    await settle();
    expect(state.isOpen).toBe(false);
    vi.advanceTimersByTime(1);
    const reading = collect(await stream);
    push({ type: 'text.delta' });
    close();
    expect(await reading).toEqual(['completion.start', 'text.delta', '[DONE]']);
  });
});

describe('an error', () => {
  it.each(['turn.start', 'silent'])('after %s, before the head, is thrown', async (type) => {
    const { source, push, ended } = scripted();
    const { stream } = open(source);
    push({ type });
    push({ type: 'turn.error', error: crashed });
    push({ type: 'turn.end' });
    await expect(stream).rejects.toBe(crashed);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('of the source before the head is thrown', async () => {
    async function* source(): AsyncGenerator<StreamItem> {
      yield { type: 'turn.start' };
      throw crashed;
    }
    await expect(openStream(source(), format, testContext())).rejects.toBe(crashed);
  });

  it('after a silent head is a message', async () => {
    const { source, push, ended } = scripted();
    const { stream } = open(source);
    push({ type: 'silent' });
    await settle();
    vi.advanceTimersByTime(500);
    const reading = collect(await stream);
    push({ type: 'turn.error', error: crashed });
    expect(await reading).toEqual(['failed: crashed', '[DONE]']);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('of the source while the stream waits is a message', async () => {
    const waiting = deferred<never>();
    async function* source(): AsyncGenerator<StreamItem> {
      yield { type: 'silent' };
      yield await waiting.promise;
    }
    const { stream } = open(source());
    await settle();
    vi.advanceTimersByTime(500);
    const reading = collect(await stream);
    waiting.reject(crashed);
    expect(await reading).toEqual(['failed: crashed', '[DONE]']);
  });
});

it('ends the source when the reader returns', async () => {
  const { source, push, ended } = scripted();
  const { stream } = open(source);
  push({ type: 'message.delta' });
  for await (const _ of await stream) break;
  expect(ended).toHaveBeenCalledOnce();
});

const failure = new Error('broken');

it('passes on errors of the domain, and hides others', () => {
  const error = new HearthError('conflict', 'Busy.');
  expect(toStreamError(error, testContext())).toBe(error);
  expect(toStreamError(failure, testContext()).code).toBe('internal');
});

it('says why the server ended the request', () => {
  const reason = new HearthError('shutting_down', 'The server is stopping.');
  expect(toStreamError(failure, testContext({ signal: AbortSignal.abort(reason) }))).toBe(reason);
});

it('throws what ended because the client has left', () => {
  const context = testContext({ signal: AbortSignal.abort() });
  expect(() => toStreamError(failure, context)).toThrow(failure);
});

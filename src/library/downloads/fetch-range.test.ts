import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { fetchRange, RangeIgnored } from './fetch-range.ts';

type GetOptions = Parameters<HttpClient['get']>[1];
type Body = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

const url = new URL('https://hub.test/acme/tiny/tiny.gguf');
const sizeBytes = 100;

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size);
}

/** Waits until the request is aborted, and throws the reason. */
async function* silence(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(3);
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

interface Fetch {
  readonly start?: number;
  readonly end?: number;
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: Body;
  readonly signal?: AbortSignal;
  readonly batchBytes?: number;
  readonly write?: (pieces: readonly Uint8Array[]) => Promise<void>;
}

/** Fetches a range from a hub that sends this response; returns the requests and the written bytes. */
async function fetchFrom(answer: Fetch | Error) {
  const fetch = answer instanceof Error ? {} : answer;
  const { start = 0, end = sizeBytes, headers = {}, body = () => pieces(end - start) } = fetch;
  const requested: GetOptions[] = [];
  const written: number[] = [];
  const http: HttpClient = {
    get: async (_, options) => {
      requested.push(options);
      if (answer instanceof Error) throw answer;
      const bytes = body(options.signal);
      return { url, status: fetch.status ?? 200, headers, body: bytes, discard: () => {} };
    },
    close: async () => {},
  };
  const outcome = fetchRange({
    source: {
      http,
      url,
      headers: { authorization: 'Bearer hub' },
      path: 'tiny.gguf',
      sizeBytes,
      batchBytes: fetch.batchBytes ?? 1000,
    },
    start,
    end,
    signal: fetch.signal ?? new AbortController().signal,
    write: async (batch) => {
      written.push(batch.reduce((sum, piece) => sum + piece.length, 0));
      await fetch.write?.(batch);
    },
  });
  const error = await outcome.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return { error, written, requested };
}

const rangeOf = (header: string) => ({ status: 206, headers: { 'content-range': header } });

afterEach(() => void vi.useRealTimers());

describe('a request', () => {
  it('for a whole file has no range, and keeps its token to the first origin', async () => {
    const { error, requested } = await fetchFrom({});
    expect(error).toBeUndefined();
    expect(requested).toMatchObject([
      {
        headers: { authorization: 'Bearer hub' },
        forwardedHeaders: { 'accept-encoding': 'identity' },
      },
    ]);
    expect(requested[0]?.forwardedHeaders).not.toHaveProperty('range');
  });

  it.each([
    [0, 99],
    [1, 100],
    [40, 60],
  ])('for the bytes from %i to %i names them', async (start, end) => {
    const { error, requested } = await fetchFrom({
      start,
      end,
      ...rangeOf(`bytes ${start}-${end - 1}/100`),
    });
    expect(error).toBeUndefined();
    expect(requested[0]?.forwardedHeaders).toMatchObject({ range: `bytes=${start}-${end - 1}` });
  });

  it('is not made where it was aborted before', async () => {
    const { error, requested } = await fetchFrom({
      signal: AbortSignal.abort(new Error('stopped')),
    });
    expect(error).toMatchObject({ message: 'stopped' });
    expect(requested).toEqual([]);
  });

  it('is aborted by its caller, after writing received bytes', async () => {
    const controller = new AbortController();
    const fetching = fetchFrom({ body: silence, signal: controller.signal });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    controller.abort(new Error('stopped'));
    const { error, written } = await fetching;
    expect(error).toMatchObject({ message: 'stopped' });
    expect(written).toEqual([3]);
  });

  it('closes the connection of an answer that it does not read', async () => {
    const { requested } = await fetchFrom({ status: 204 });
    expect(requested[0]?.signal.aborted).toBe(true);
  });
});

describe('an answer', () => {
  it.each<[string, Fetch, RegExp | string]>([
    [
      'that is encoded',
      { headers: { 'content-encoding': 'gzip' } },
      'hub.test sent the file encoded',
    ],
    ['with another status', { status: 204 }, 'hub.test answered 204'],
    [
      'of another range',
      { start: 40, end: 60, ...rangeOf('bytes 41-60/100') },
      'hub.test answered with another range ("bytes 41-60/100") than bytes 40-59 of tiny.gguf',
    ],
    ['that ends early', { start: 40, end: 60, ...rangeOf('bytes 40-58/100') }, 'another range'],
    ['without a range', { start: 40, end: 60, status: 206 }, 'another range ("")'],
    [
      'with text before its range',
      { start: 0, end: 60, ...rangeOf('x bytes 0-59/100') },
      'another range',
    ],
    [
      'with text after its range',
      { start: 0, end: 60, ...rangeOf('bytes 0-59/100x') },
      'another range',
    ],
    [
      'with fewer bytes than requested',
      { body: () => pieces(30, 20) },
      'hub.test sent 50 of the 100 bytes of tiny.gguf that were requested',
    ],
    [
      'with fewer bytes than its range',
      { start: 40, end: 60, ...rangeOf('bytes 40-59/100'), body: () => pieces(5) },
      'hub.test sent 5 of the 20 bytes of tiny.gguf that were requested',
    ],
    [
      'with more bytes than its range',
      { start: 40, end: 60, ...rangeOf('bytes 40-59/*'), body: () => pieces(21) },
      'hub.test sent more than the 20 requested bytes',
    ],
  ])('%s is transient', async (_, answer, message) => {
    const { error } = await fetchFrom(answer);
    expect(error).toBeInstanceOf(HttpFailure);
    expect(error).toMatchObject({
      reason: 'interrupted',
      message: expect.stringContaining(message as string) as string,
    });
  });

  it.each<[string, Fetch, string]>([
    ['that is shorter', { headers: { 'content-length': '99' } }, '99'],
    ['that is longer', { body: () => pieces(60, 41) }, 'more than 100'],
    ['of a file of another size', { start: 0, end: 9, ...rangeOf('bytes 0-8/99') }, '99'],
    [
      'with a length of many digits',
      { headers: { 'content-length': '1'.repeat(40) } },
      '1'.repeat(20),
    ],
  ])('%s than the hub lists reports both sizes', async (_, answer, actual) => {
    const { error } = await fetchFrom(answer);
    expect(error).toMatchObject({
      code: 'hub_unreachable',
      message: `The hub lists tiny.gguf with 100 bytes, but the file it sends has ${actual}.`,
    });
  });

  it.each([
    [{ 'content-range': 'bytes */99' }, '99'],
    [{ 'content-range': 'x bytes */99' }, 'fewer'],
    [{ 'content-range': 'bytes */99 x' }, 'fewer'],
    [{}, 'fewer'],
  ])('416 with %o reports that the file is smaller', async (headers, actual) => {
    const { error } = await fetchFrom(new HttpFailure('status', '416', { status: 416, headers }));
    expect(error).toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringMatching(new RegExp(`the file it sends has ${actual}\\.$`)) as string,
    });
  });

  it('of another status is passed on', async () => {
    const failure = new HttpFailure('status', '404', { status: 404 });
    expect((await fetchFrom(failure)).error).toBe(failure);
  });

  it('with the whole file instead of a range throws, and writes nothing', async () => {
    const { error, written } = await fetchFrom({ start: 40, end: 60, body: () => pieces(100) });
    expect(error).toBeInstanceOf(RangeIgnored);
    expect(error).toMatchObject({ message: 'hub.test sends whole files only' });
    expect(written).toEqual([]);
  });

  it.each<[string, Fetch]>([
    ['its length', { headers: { 'content-length': '100' } }],
    ['the encoding "identity"', { headers: { 'content-encoding': 'identity' } }],
    ['a range without a total', { start: 5, end: 15, ...rangeOf('bytes 5-14/*') }],
  ])('with %s is accepted', async (_, answer) => {
    expect((await fetchFrom(answer)).error).toBeUndefined();
  });
});

describe('bytes', () => {
  it('are written in batches; the last one may be smaller', async () => {
    const body = () => pieces(20, 20, 30, 29, 1);
    expect((await fetchFrom({ batchBytes: 40, body })).written).toEqual([40, 59, 1]);
    expect((await fetchFrom({ batchBytes: 100, body })).written).toEqual([100]);
  });

  it('are written each second, even if they are slow', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const body = async function* () {
      yield new Uint8Array(10);
      vi.advanceTimersByTime(999);
      yield new Uint8Array(10);
      vi.advanceTimersByTime(1);
      yield new Uint8Array(10);
      vi.advanceTimersByTime(999);
      yield new Uint8Array(70);
    };
    expect((await fetchFrom({ body })).written).toEqual([20, 80]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are written within a second while the connection stalls', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const controller = new AbortController();
    const written = new Promise<number>((resolve) => {
      void fetchFrom({
        body: silence,
        signal: controller.signal,
        write: async (batch) => resolve(batch.length),
      });
    });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    vi.advanceTimersByTime(1000);
    expect(await written).toBe(1);
    controller.abort(new Error('stopped'));
  });

  it('that cannot be written while the connection stalls fail the request with that error', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const full = new Error('no room');
    const body = async function* () {
      yield new Uint8Array(10);
      vi.advanceTimersByTime(1000);
      yield new Uint8Array(90);
    };
    const { error } = await fetchFrom({ body, write: () => Promise.reject(full) });
    expect(error).toBe(full);
  });

  it('keep their content until they are written', async () => {
    const seen: number[] = [];
    const body = async function* () {
      yield Uint8Array.from({ length: 50 }, (_, index) => index);
      yield Uint8Array.from({ length: 50 }, (_, index) => 50 + index);
    };
    const write = async (batch: readonly Uint8Array[]) => {
      for (const piece of batch) seen.push(...piece);
    };
    await fetchFrom({ body, write, batchBytes: 10 });
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('that cannot be written fail the request with that error', async () => {
    const full = new Error('no room');
    const { error } = await fetchFrom({ write: () => Promise.reject(full) });
    expect(error).toBe(full);
  });
});

import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitReceiving } from './running-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request whose body does not come, and what is done to its connection. */
function requestWith(headers: IncomingHttpHeaders) {
  const stalls: number[] = [];
  const state = { isDestroyed: false, onStall: () => {} };
  const incoming = Object.assign(new EventEmitter(), {
    headers,
    complete: false,
    setTimeout: (limitMs: number, onStall: () => void = () => {}) => {
      stalls.push(limitMs);
      state.onStall = onStall;
    },
    destroy: () => {
      state.isDestroyed = true;
    },
  });
  limitReceiving(incoming as unknown as IncomingMessage);
  return { incoming, stalls, state };
}

describe('a request that is not an upload', () => {
  const json = { 'content-type': 'application/json', 'content-length': '2' };

  // covers server-28
  it('has five minutes in all', () => {
    const { state, stalls } = requestWith(json);
    vi.advanceTimersByTime(299_999);
    expect(state.isDestroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(state.isDestroyed).toBe(true);
    expect(stalls).toEqual([]);
  });

  it.each(['end', 'close'])('has no limit after its %s', (event) => {
    const { incoming, state } = requestWith(json);
    incoming.emit(event);
    expect(vi.getTimerCount()).toBe(0);
    expect(state.isDestroyed).toBe(false);
  });

  it('needs no limit without a body', () => {
    requestWith({});
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe.each([
  'application/octet-stream',
  'application/octet-stream; charset=binary',
  'Multipart/Form-Data; boundary=x',
])('an upload declared as %s', (contentType) => {
  const headers = { 'content-type': contentType, 'transfer-encoding': 'chunked' };

  // covers server-28
  it('may take any time, but not stall', () => {
    const { state, stalls } = requestWith(headers);
    vi.advanceTimersByTime(24 * 3600_000);
    expect(state.isDestroyed).toBe(false);
    expect(stalls).toEqual([60_000]);
    state.onStall();
    expect(state.isDestroyed).toBe(true);
  });

  it('has no limit after its end', () => {
    const { incoming, stalls } = requestWith(headers);
    incoming.emit('end');
    expect(stalls).toEqual([60_000, 0]);
  });
});

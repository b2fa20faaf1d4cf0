import { describe, expect, it, vi } from 'vitest';
import { HttpFailure } from './http-failure.ts';
import { isTransient, retryDelayMs } from './retry-delay.ts';

const status = (code: number, headers: Record<string, string> = {}): HttpFailure =>
  new HttpFailure('status', 'answered', { status: code, headers });

describe('isTransient', () => {
  it.each([408, 429, 500, 502, 503, 504])('retries %i', (code) => {
    expect(isTransient(status(code))).toBe(true);
  });

  it.each([400, 401, 403, 404, 407, 409, 416, 499])('does not retry %i', (code) => {
    expect(isTransient(status(code))).toBe(false);
  });

  it('retries lost connections, but no refusals', () => {
    expect(isTransient(new HttpFailure('interrupted', ''))).toBe(true);
    expect(isTransient(new HttpFailure('timeout', ''))).toBe(true);
    expect(isTransient(new HttpFailure('unreachable', ''))).toBe(true);
    expect(isTransient(new HttpFailure('too_large', ''))).toBe(false);
    expect(isTransient(new HttpFailure('refused', ''))).toBe(false);
    expect(isTransient(new HttpFailure('redirect', ''))).toBe(false);
    expect(isTransient(Object.assign(new Error('other'), { status: 503 }))).toBe(false);
  });
});

describe('retryDelayMs', () => {
  it('doubles up to a maximum, with jitter', () => {
    const failure = new HttpFailure('interrupted', '');
    expect([0, 1, 2, 20].map((attempt) => retryDelayMs(failure, attempt, 1))).toStrictEqual([
      500, 1000, 2000, 30_000,
    ]);
    expect(retryDelayMs(failure, 0, 0)).toBe(250);
    expect(retryDelayMs(failure, 1, 0.5)).toBe(750);
    for (let round = 0; round < 20; round += 1) {
      expect(retryDelayMs(failure, 0)).toBeGreaterThanOrEqual(250);
      expect(retryDelayMs(failure, 0)).toBeLessThanOrEqual(500);
    }
  });

  it('follows the server within limits', () => {
    expect(retryDelayMs(status(429, { 'retry-after': '3' }), 0)).toBe(3000);
    expect(retryDelayMs(status(429, { 'retry-after': '12' }), 0)).toBe(12_000);
    expect(retryDelayMs(status(429, { 'retry-after': '86400' }), 0)).toBe(60_000);
    expect(retryDelayMs(status(429, { 'retry-after': '0' }), 5)).toBe(0);
    expect(retryDelayMs(status(429, { 'retry-after': 'soon' }), 0, 1)).toBe(500);
  });

  it('reads a date', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
    try {
      const date = 'Thu, 01 Jan 2026 00:00:05 GMT';
      expect(retryDelayMs(status(503, { 'retry-after': date }), 0)).toBe(5000);
      const past = 'Wed, 31 Dec 2025 00:00:00 GMT';
      expect(retryDelayMs(status(503, { 'retry-after': past }), 0)).toBe(0);
      // Obsolete (RFC 9110, 5.6.7), and outside of the standard.
      const asctime = 'Thu Jan  1 00:00:05 2026';
      const inLocalTime = Math.min(Math.max(0, Date.parse(asctime) - Date.now()), 60_000);
      expect(retryDelayMs(status(503, { 'retry-after': asctime }), 0)).toBe(inLocalTime);
      const iso = '2026-01-01T00:00:09Z';
      expect(retryDelayMs(status(503, { 'retry-after': iso }), 0)).toBe(9000);
    } finally {
      vi.useRealTimers();
    }
  });
});

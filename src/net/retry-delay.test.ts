import { describe, expect, it, vi } from 'vitest';
import { HttpFailure } from './http-failure.ts';
import { isTransient, retryDelayMs } from './retry-delay.ts';

const status = (code: number, headers: Record<string, string> = {}): HttpFailure =>
  new HttpFailure('status', 'answered', { status: code, headers });

describe('isTransient', () => {
  it.each([408, 429, 500, 502, 503, 504])('tries %i again', (code) => {
    expect(isTransient(status(code))).toBe(true);
  });

  it.each([400, 401, 403, 404, 407, 409, 416, 499])('does not try %i again', (code) => {
    expect(isTransient(status(code))).toBe(false);
  });

  it('tries broken connections again, but nothing that was refused', () => {
    expect(isTransient(new HttpFailure('interrupted', ''))).toBe(true);
    expect(isTransient(new HttpFailure('timeout', ''))).toBe(true);
    expect(isTransient(new HttpFailure('unreachable', ''))).toBe(true);
    expect(isTransient(new HttpFailure('too_large', ''))).toBe(false);
    expect(isTransient(new HttpFailure('refused', ''))).toBe(false);
    expect(isTransient(new HttpFailure('redirect', ''))).toBe(false);
    expect(isTransient(new Error('other'))).toBe(false);
  });
});

describe('retryDelayMs', () => {
  it('doubles up to a bound, with chance in it', () => {
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

  it('does what the server asks, within bounds', () => {
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
    } finally {
      vi.useRealTimers();
    }
  });
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../../../telemetry/logger.ts';
import type { CallerIdentity } from '../../../kernel/request/request-context.ts';
import { RevocationChecker } from './revocation-checker.ts';

const identity = (id: string): CallerIdentity => ({
  type: 'token',
  tokenId: 'a',
  id,
  name: id,
  expiresAt: null,
});
const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const revoked = new Set<string>();
  const checked: string[] = [];
  const watch = new RevocationChecker({
    logger: createLogger('silent'),
    isValid: async ({ id }) => {
      checked.push(id);
      if (id === 'broken') throw new Error('The database is locked.');
      return !revoked.has(id);
    },
  });
  return { watch, revoked, checked };
}

it('aborts the streams of a revoked token within two seconds, and no others', async () => {
  const { watch, revoked, checked } = setUp();
  const first = watch.follow(identity('a'), never);
  const second = watch.follow(identity('a'), never);
  const other = watch.follow(identity('b'), never);
  await vi.advanceTimersByTimeAsync(1000);
  expect(checked).toEqual(['a', 'b']);
  revoked.add('a');
  await vi.advanceTimersByTimeAsync(2000);
  for (const { signal } of [first, second]) {
    expect(signal.reason).toMatchObject({ code: 'invalid_api_key' });
  }
  expect(other.signal.aborted).toBe(false);
});

it('checks only while there are streams', async () => {
  const { watch, checked } = setUp();
  const stream = watch.follow(identity('a'), never);
  stream.dispose();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(checked).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it('keeps streams open while tokens cannot be read', async () => {
  const { watch } = setUp();
  const { signal } = watch.follow(identity('broken'), never);
  await vi.advanceTimersByTimeAsync(5000);
  expect(signal.aborted).toBe(false);
});

it('aborts with the client', () => {
  const { watch } = setUp();
  const client = new AbortController();
  const { signal } = watch.follow(identity('a'), client.signal);
  client.abort(new Error('gone'));
  expect(signal.reason).toEqual(new Error('gone'));
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoredDownload } from '../../store/store.ts';
import { completedPlans, identityOf, toJob } from './job-view.ts';

const plan = {
  model: 'acme/tiny',
  owner: 'Acme',
  name: 'Tiny',
  commit: 'c1',
  quantization: null,
  files: [],
};
const stored: StoredDownload = {
  id: 'job_0123456789',
  plan,
  status: 'downloading',
  isPausedByUser: false,
  totalBytes: 1000,
  downloadedBytes: 400,
  startedAt: new Date(0),
  completedAt: null,
  failure: null,
};
const now = new Date('2026-11-21T10:00:00Z');
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => void vi.useRealTimers());

describe('toJob', () => {
  it('estimates the end by the speed', () => {
    const { bytesPerSecond, estimatedCompletionAt } = toJob(stored, 100);
    expect({ bytesPerSecond, estimatedCompletionAt }).toEqual({
      bytesPerSecond: 100,
      estimatedCompletionAt: inSeconds(6),
    });
  });

  it.each([undefined, 0])('estimates by the assumed speed at the speed %s', (speed) => {
    const job = toJob(stored, speed, 200);
    expect(job.bytesPerSecond).toBe(0);
    expect(job.estimatedCompletionAt).toEqual(inSeconds(3));
    const large = { ...stored, totalBytes: 10_000_400 };
    expect(toJob(large, speed).estimatedCompletionAt).toEqual(inSeconds(1));
  });

  it('has an estimate that a date can hold at any speed', () => {
    const slow = toJob({ ...stored, totalBytes: Number.MAX_SAFE_INTEGER }, 1e-9);
    expect(slow.estimatedCompletionAt?.toISOString()).toMatch(/^20\d\d-/);
  });

  it('ends now if all bytes are there', () => {
    expect(toJob({ ...stored, downloadedBytes: 1000 }, undefined)).toMatchObject({
      bytesPerSecond: 0,
      estimatedCompletionAt: now,
    });
  });

  it.each(['paused', 'completed', 'failed'] as const)('has no speed while %s', (status) => {
    const job = toJob({ ...stored, status }, 100);
    expect(job.bytesPerSecond).toBeUndefined();
    expect(job.estimatedCompletionAt).toBeUndefined();
  });
});

describe('identityOf', () => {
  const file = (path: string) => ({
    path,
    target: path,
    sizeBytes: 1,
    checksum: { algorithm: 'sha256', hex: 'aa' } as const,
  });

  it('is the same however a request was spelled', () => {
    const one = { ...plan, files: [file('a'), file('b')] };
    const other = { ...one, model: 'https://hub/acme/tiny', owner: 'ACME', name: 'TINY' };
    expect(identityOf({ ...other, files: [file('b'), file('a')] })).toBe(identityOf(one));
  });

  it.each([
    ['owner', { owner: 'other' }],
    ['name', { name: 'other' }],
    ['commit', { commit: 'c2' }],
    ['files', { files: [file('a')] }],
  ])('differs by %s', (_, fields) => {
    expect(identityOf({ ...plan, ...fields })).not.toBe(identityOf(plan));
  });
});

it('lists the plans of completed jobs alone', () => {
  const completed = { ...stored, status: 'completed' as const };
  expect(completedPlans([stored, completed, { ...stored, status: 'failed' }])).toEqual([plan]);
});

it('estimates at most ten years', () => {
  const slow = { ...stored, totalBytes: 1e15 };
  expect(toJob(slow, 1).estimatedCompletionAt).toEqual(inSeconds(10 * 365 * 24 * 3600));
});

it('tells the same number of other files apart', () => {
  const checksum = { algorithm: 'sha256', hex: 'aa' } as const;
  const identityOfFile = (path: string) =>
    identityOf({ ...plan, files: [{ path, target: 'same', sizeBytes: 1, checksum }] });
  expect(identityOfFile('Q8_0.gguf')).not.toBe(identityOfFile('Q4_0.gguf'));
});

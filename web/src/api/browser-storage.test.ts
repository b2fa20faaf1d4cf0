import { afterEach, expect, it, vi } from 'vitest';
import { keep, readKept } from './browser-storage.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('keeps and forgets values', () => {
  const values = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => values.set(name, value),
    removeItem: (name: string) => values.delete(name),
  });
  keep('a', '1');
  expect(readKept('a')).toBe('1');
  keep('a', null);
  expect(readKept('a')).toBeNull();
});

it('does without a storage that is full', () => {
  const full = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: full });
  keep('a', '1');
  expect(readKept('a')).toBeNull();
});

it('does without a storage that the user blocks', () => {
  vi.stubGlobal('localStorage', null);
  keep('a', '1');
  expect(readKept('a')).toBeNull();
});

import { expect, it } from 'vitest';
import { nextInstanceId } from './next-instance-id.ts';

it('numbers instances from the second on and fills gaps', () => {
  expect(nextInstanceId('a/b', new Set())).toBe('a/b');
  expect(nextInstanceId('a/b', new Set(['a/b']))).toBe('a/b:2');
  expect(nextInstanceId('a/b', new Set(['a/b', 'a/b:3']))).toBe('a/b:2');
});

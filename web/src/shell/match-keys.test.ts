import { expect, it } from 'vitest';
import { matchesKeys } from './match-keys.ts';

const press = (key: string, modifiers = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
});

it('takes Ctrl and Cmd for mod', () => {
  expect(matchesKeys('mod+k', press('k', { ctrlKey: true }))).toBe(true);
  expect(matchesKeys('mod+k', press('K', { metaKey: true }))).toBe(true);
  expect(matchesKeys('mod+k', press('k'))).toBe(false);
  expect(matchesKeys('mod+shift+o', press('O', { ctrlKey: true, shiftKey: true }))).toBe(true);
  expect(matchesKeys('mod+shift+o', press('o', { ctrlKey: true }))).toBe(false);
});

it('takes characters as they are typed', () => {
  expect(matchesKeys('?', press('?', { shiftKey: true }))).toBe(true);
  expect(matchesKeys('/', press('/', { altKey: true }))).toBe(false);
});

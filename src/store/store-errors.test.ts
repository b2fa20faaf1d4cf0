import { expect, it } from 'vitest';
import { describeStoreError, isDiskFull } from './store-errors.ts';

it.each([
  [8, 'is read-only'],
  [1032, 'is read-only'],
  [10, 'I/O error'],
  [778, 'I/O error'],
  [11, 'is damaged'],
  [26, 'is damaged'],
  [13, 'the disk is full'],
  [14, 'cannot be opened'],
  [5, 'locked'],
])('names the result code %i', (errcode, words) => {
  expect(describeStoreError(Object.assign(new Error('x'), { errcode }))).toContain(words);
});

it('knows the messages of errors without a code', () => {
  expect(describeStoreError(new Error('disk I/O error'))).toContain('I/O error');
  expect(describeStoreError(new Error('attempt to write a readonly database'))).toContain(
    'read-only',
  );
});

it.each([
  ['53100', 'the disk of the database is full', true],
  ['XX001', 'is damaged', false],
  ['42501', 'lacks a right', false],
])('names the state %s of PostgreSQL', (code, words, isFull) => {
  const error = Object.assign(new Error('x'), { code });
  expect(describeStoreError(error)).toContain(words);
  expect(isDiskFull(error)).toBe(isFull);
});

it('tells a full disk of SQLite', () => {
  expect(isDiskFull(Object.assign(new Error('x'), { errcode: 13 }))).toBe(true);
  expect(isDiskFull(Object.assign(new Error('x'), { errcode: 11 }))).toBe(false);
});

it('says nothing about other errors', () => {
  expect(describeStoreError(new Error('other'))).toBeUndefined();
  expect(describeStoreError(Object.assign(new Error('x'), { errcode: 1 }))).toBeUndefined();
});

import { expect, it } from 'vitest';
import type { AttributeFilter } from '../../../tools/file-search.ts';
import { matchesFilter } from './attribute-filter.ts';

const attributes = { year: 2026, kind: 'manual', isDraft: false };

it.each<readonly [AttributeFilter['type'], string, string | number | boolean | string[], boolean]>([
  ['eq', 'kind', 'manual', true],
  ['eq', 'year', '2026', false],
  ['eq', 'isDraft', false, true],
  ['eq', 'constructor', 'x', false],
  ['ne', 'kind', 'letter', true],
  ['ne', 'absent', 'letter', true],
  ['gt', 'year', 2025, true],
  ['gt', 'year', 2026, false],
  ['gte', 'year', 2026, true],
  ['lt', 'year', 2027, true],
  ['lte', 'year', 2025, false],
  ['lt', 'kind', 2027, false],
  ['lt', 'absent', 2027, false],
  ['in', 'kind', ['letter', 'manual'], true],
  ['in', 'absent', ['letter'], false],
  ['nin', 'kind', ['letter', 'manual'], false],
  ['nin', 'absent', ['letter'], true],
])('%s %s %s: %s', (type, key, value, isMatch) => {
  expect(matchesFilter({ type, key, value } as AttributeFilter, attributes)).toBe(isMatch);
});

it('combines conditions', () => {
  const isManual = { type: 'eq', key: 'kind', value: 'manual' } as const;
  const isOld = { type: 'lt', key: 'year', value: 2000 } as const;
  expect(matchesFilter({ type: 'and', filters: [isManual, isOld] }, attributes)).toBe(false);
  expect(matchesFilter({ type: 'or', filters: [isManual, isOld] }, attributes)).toBe(true);
  const nested = { type: 'and', filters: [isManual, { type: 'or', filters: [isOld] }] } as const;
  expect(matchesFilter(nested, attributes)).toBe(false);
});

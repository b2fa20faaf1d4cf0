import { expect, it } from 'vitest';
import { isGrammarPattern } from './is-grammar-pattern.ts';

it.each([
  '^a+$',
  'abc',
  '',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  '^(?:[a-z]{2}-){5}$',
  '^\\d{4}-\\d{2}$',
  '^[a-z]{0,128}$',
  '^a{3,}$',
])('accepts %j', (pattern) => expect(isGrammarPattern(pattern)).toBe(true));

it.each([
  ['counts down', '^a{5,2}$'],
  ['repeats too often', '^a{99999}$'],
  ['repeats a repetition', '^((a?){40}){40}$'],
  ['repeats a possibly empty group', '^(a?){50}$'],
  ['is not a regular expression', '^(a$'],
  ['has nothing to repeat', '^*a$'],
  ['is not ASCII', '^é+$'],
  ['has a quote', '^"$'],
  ['is long', `^${'a?'.repeat(500)}$`],
  ['is a number', 5],
  ['is undefined', undefined],
])('rejects a pattern that %s', (_, pattern) => expect(isGrammarPattern(pattern)).toBe(false));

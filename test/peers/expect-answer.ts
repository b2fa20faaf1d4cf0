import { expect } from 'vitest';
import * as z from 'zod';
import type { Expected, Pattern, PeerAnswer } from './peer-case.ts';

export function expectAnswer(answer: PeerAnswer, expected: Expected): void {
  const { status, headers, body, events } = answer;
  const isStream = events.length > 0;
  const shown = JSON.stringify(isStream ? events : body).slice(0, 2000);
  expect(status, shown).toBe(expected.status ?? 200);
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    expect({ [name]: headers.get(name) }).toEqual({ [name]: toMatcher(pattern) });
  }
  if (expected.body !== undefined) expectMatch(body, expected.body, shown);
  for (const path of expected.absent ?? []) {
    for (const each of isStream ? events : [body]) expect(each).not.toHaveProperty(path);
  }
  if (needsEvents(expected)) expect(events.length, shown).toBeGreaterThan(0);
  if (expected.first !== undefined) expectMatch(events[0], expected.first, shown);
  if (expected.last !== undefined) expectMatch(events.at(-1), expected.last, shown);
  if (expected.every !== undefined)
    for (const each of events) expectMatch(each, expected.every, shown);
  if (expected.some !== undefined) expect(events, shown).toContainEqual(toMatcher(expected.some));
  if (expected.types !== undefined) expect(typesOf(events)).toEqual(expected.types);
  for (const [name, holds] of expected.checks ?? []) {
    expect(holds(answer), `The answer ${name}: ${shown}`).toBe(true);
  }
}

function needsEvents({ first, last, every, some, types }: Expected): boolean {
  return [first, last, every, some, types].some((each) => each !== undefined);
}

function expectMatch(value: unknown, pattern: Pattern, shown: string): void {
  expect(value, shown).toEqual(toMatcher(pattern));
}

/** Converts a pattern to a matcher: objects may have more fields, but lists no more items. */
function toMatcher(pattern: Pattern): unknown {
  if (pattern instanceof RegExp) return expect.stringMatching(pattern);
  if (pattern instanceof z.ZodType) return expect.schemaMatching(pattern);
  if (isList(pattern)) return pattern.map(toMatcher);
  if (typeof pattern !== 'object' || pattern === null) return pattern;
  const fields = Object.entries(pattern).map(([name, each]) => [name, toMatcher(each)]);
  return expect.objectContaining(Object.fromEntries(fields));
}

function isList(pattern: Pattern): pattern is readonly Pattern[] {
  return Array.isArray(pattern);
}

function typesOf(events: readonly { readonly type?: string }[]): readonly (string | undefined)[] {
  const types = events.map(({ type }) => type);
  return types.filter((type, index) => type !== types[index - 1]);
}

import { expect, it } from 'vitest';
import { createTestApp } from '../../../test/setup/http/test-app.ts';
import { requestIdOf } from './observe.ts';

it.each([
  ['GET', '/health', 'debug'],
  ['GET', '/ready', 'debug'],
  ['GET', '/openapi.json', 'info'],
  ['POST', '/health', 'info'],
  ['GET', '/api/v1/status', 'info'],
])('logs %s %s as %s', async (method, path, level) => {
  const { app, logLines } = createTestApp();
  await app.request(path, { method });
  expect(logLines().at(-1)).toMatchObject({ level, method, path, msg: 'request' });
});

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

it('makes an id where the client sends none', () => {
  expect(requestIdOf(undefined)).toMatch(uuid);
  expect(requestIdOf(undefined)).not.toBe(requestIdOf(undefined));
});

it.each(['a', 'A0._-', 'x'.repeat(64)])('keeps the id %s', (id) => {
  expect(requestIdOf(id)).toBe(id);
});

it.each(['', 'x'.repeat(65), 'a b', 'a\n', 'ü', '"'])('replaces the id %j', (id) => {
  expect(requestIdOf(id)).toMatch(uuid);
});

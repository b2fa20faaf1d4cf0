import { expect, it } from 'vitest';
import { createTestApp } from '../../../test/setup/http/test-app.ts';

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

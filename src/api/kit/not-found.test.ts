import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineRoute } from './route.ts';
import { mount } from './mount.ts';
import { createTestApp } from '../../../test/setup/http/test-app.ts';
import { echoBody, echoParams } from '../../../test/setup/http/test-routes.ts';

/** Where the parameter of another endpoint would take the path too. */
const below = defineRoute('POST /api/v0/things/load', {
  operationId: 'loadThing',
  summary: 'Loads',
  permission: null,
  result: z.object({}),
});
const deepBelow = defineRoute('POST /api/v0/things/{thing}/stop', {
  operationId: 'stopThing',
  summary: 'Stops',
  permission: null,
  params: z.object({ thing: z.string() }),
  result: z.object({}),
});
const { app } = createTestApp({
  v1Routes: (target) => mount(target, echoBody, async ({ body }) => body),
  v0Routes: (target) => {
    mount(target, deepBelow, async () => ({}));
    mount(target, below, async () => ({}));
    mount(target, echoParams, async ({ params, query }) => ({ ...params, ...query }));
  },
});

it.each([
  ['/api/v1/ecoh', 'Did you mean /api/v1/echo?'],
  ['/helth', 'Did you mean /health?'],
  ['/api/v2/unheard-of', 'GET /openapi.json'],
  ['/x', 'Did you mean /?'],
])('names what %s may have been', async (path, hint) => {
  const response = await app.request(path);
  expect(response.status).toBe(404);
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  expect(error.type).toBe('not_found');
  expect(error.message).toContain(path);
  expect(error.message).toContain(hint);
});

it('names the endpoint of a client that is set up without /v1, also at a page', async () => {
  const { app: whole } = createTestApp();
  whole.post('/v1/embed/texts', (context) => context.text('vectors'));
  whole.get('/embed/*', (context) => context.text('a page'));
  const response = await whole.request('/embed/texts', { method: 'POST' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: { message: 'There is no endpoint "/embed/texts". Did you mean /v1/embed/texts?' },
  });
  const other = await whole.request('/embed/texts', { method: 'PUT' });
  expect([other.status, other.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
});

it.each(['/llm', '/api/v1/echo'])('refuses a WebSocket at %s', async (path) => {
  const response = await app.request(path, { headers: { Upgrade: 'WebSocket' } });
  expect(response.status).toBe(501);
  expect(await response.json()).toMatchObject({
    error: { code: 'websocket_unsupported', message: expect.stringContaining('/v1 for OpenAI') },
  });
});

it('shows no more than the beginning of a long path', async () => {
  const response = await app.request(`/api/v0/${'a'.repeat(5000)}`);
  const text = await response.text();
  expect(text.length).toBeLessThan(400);
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found', param: null } });
});

it.each([
  ['GET', '/api/v1/echo', 'POST'],
  ['DELETE', '/api/v0/things/a/b', 'GET, HEAD'],
  ['GET', '/api/v0/things/load', 'POST'],
  ['DELETE', '/api/v0/things/load', 'POST'],
  ['GET', '/api/v0/things/a/stop', 'POST'],
  ['DELETE', '/api/v0/things/a/stop', 'POST'],
  ['PUT', '/health', 'GET, HEAD'],
  ['OPTIONS', '/health', 'GET, HEAD'],
  ['BREW', '/health', 'GET, HEAD'],
])('%s %s → 405', async (method, path, allow) => {
  const response = await app.request(path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe(allow);
  expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
});

it('answers HEAD like GET, without a body', async () => {
  const response = await app.request('/health', { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

it('refuses HEAD where it refuses GET', async () => {
  const response = await app.request('/api/v0/things/load', { method: 'HEAD' });
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
});

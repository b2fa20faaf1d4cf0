import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineRoute } from './route.ts';
import { createErrorSerializer } from './errors/error-serializer.ts';
import { mount } from './mount.ts';
import { findApi } from './api.ts';
import { v0Errors } from '../openai/errors.ts';
import { createTestApp, testApi } from '../../../test/setup/http/test-app.ts';

/** Two APIs of a hypothetical server: their clients know the same path by different formats. */
const listModels = (operationId: string) =>
  defineRoute('GET /v1/models', {
    operationId,
    summary: 'List the models',
    permission: 'models:read',
    result: z.object({ from: z.string() }),
  });
const listFiles = defineRoute('GET /v1/files', {
  operationId: 'listFiles',
  summary: 'List the files',
  permission: 'models:read',
  result: z.object({ from: z.string() }),
});
const createMessage = defineRoute('POST /v1/messages', {
  operationId: 'createMessage',
  summary: 'Create a message',
  permission: 'chat',
  result: z.object({ from: z.string() }),
});

const openai = testApi({
  name: 'openai',
  prefixes: ['/v1'],
  errorSerializer: v0Errors,
  mountRoutes: (app) => {
    mount(app, listModels('listOpenAi'), async () => ({ from: 'openai' }));
    mount(app, listFiles, async () => ({ from: 'openai' }));
  },
});
const anthropic = testApi({
  name: 'anthropic',
  prefixes: ['/v1', '/v1/messages'],
  clientHeaders: ['anthropic-version'],
  unservedPaths: ['/v1/files'],
  errorSerializer: createErrorSerializer({
    schema: z.object({ type: z.literal('error'), message: z.string() }),
    nameField: (field) => field,
    toBody: ({ message }) => ({ type: 'error' as const, message }),
  }),
  mountRoutes: (app) => {
    mount(app, listModels('listAnthropic'), async () => ({ from: 'anthropic' }));
    mount(app, createMessage, async () => ({ from: 'anthropic' }));
  },
});
const client = { 'anthropic-version': '2023-06-01' };

describe.each([
  ['first', [openai, anthropic]],
  ['last', [anthropic, openai]],
])('a path that two APIs share, the unmarked one %s', (_, apis) => {
  const { app } = createTestApp({ apis });

  it('is not there for the clients of an API that does not serve it', async () => {
    expect(await (await app.request('/v1/files')).json()).toEqual({ from: 'openai' });
    const response = await app.request('/v1/files', { headers: client });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      type: 'error',
      message: 'There is no endpoint "/v1/files" for clients of anthropic.',
    });
  });

  it('is served by the API of the client', async () => {
    expect(await (await app.request('/v1/models')).json()).toEqual({ from: 'openai' });
    const marked = await app.request('/v1/models', { headers: client });
    expect(await marked.json()).toEqual({ from: 'anthropic' });
  });

  it('is served by the only API that has the endpoint, whatever the client', async () => {
    const request = { method: 'POST' };
    expect(await (await app.request('/v1/messages', request)).json()).toEqual({
      from: 'anthropic',
    });
  });

  it.each([
    ['GET', '/v1/unknown', {}, 404, 'error'],
    ['GET', '/v1/unknown', client, 404, 'type'],
    ['GET', '/v1/messages', {}, 405, 'type'],
    ['GET', '/v1/messages/unknown', {}, 404, 'type'],
    ['DELETE', '/v1/models', {}, 405, 'error'],
    ['DELETE', '/v1/models', client, 405, 'type'],
    ['GET', '/v1/models', { authorization: 'Bearer revoked' }, 401, 'error'],
    ['GET', '/v1/models', { authorization: 'Bearer revoked', ...client }, 401, 'type'],
    ['GET', '/v2/models', client, 404, 'error'],
  ])('%s %s with %o answers %i in the format of its API', async (...expected) => {
    const [method, path, headers, status, firstKey] = expected;
    const response = await app.request(path, { method, headers });
    const body = (await response.json()) as object;
    expect([response.status, Object.keys(body)[0]]).toEqual([status, firstKey]);
  });
});

it('refuses to mount a route outside of the prefixes of its API', () => {
  const misplaced = testApi({ prefixes: ['/v2'], mountRoutes: openai.mountRoutes });
  expect(() => createTestApp({ apis: [misplaced] })).toThrow('/v1/models');
});

describe('findApi', () => {
  const server = { prefixes: ['/'] };
  const v1 = { prefixes: ['/api/v1'] };
  const noHeaders = () => undefined;

  it.each([
    ['/api/v1', v1],
    ['/api/v1/chat', v1],
    ['/api/v10', server],
    ['/', server],
    ['/health', server],
  ])('gives %s to the longest prefix of whole segments', (path, api) => {
    expect(findApi([server, v1], { path, header: noHeaders })).toBe(api);
  });

  it('gives nothing if no prefix matches', () => {
    expect(findApi([v1], { path: '/health', header: noHeaders })).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { mount } from '../api/kit/mount.ts';
import { createTestApp } from '../../test/setup/http/test-app.ts';
import { echoBody, echoParams } from '../../test/setup/http/test-routes.ts';

describe('the pages of the server', () => {
  it('need no token', async () => {
    const { app } = createTestApp({ settings: { 'auth.required': true } });
    for (const path of ['/', '/health', '/ready', '/docs/', '/openapi.json']) {
      expect([path, (await app.request(path)).status]).toEqual([path, 200]);
    }
  });

  it('point to the documentation', async () => {
    const text = await (await createTestApp().app.request('/')).text();
    expect(text).toContain('/docs\n');
    expect(text).toContain('/openapi.json');
  });

  it('say when the store does not answer', async () => {
    const ping = async () => {
      throw new Error('no disk');
    };
    const response = await createTestApp({ ping }).app.request('/ready');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: 'internal' } });
  });
});

describe('/openapi.json', () => {
  // covers server-2
  it('has the mounted endpoints', async () => {
    const { app } = createTestApp({
      v1Routes: (target) => mount(target, echoBody, async ({ body }) => body),
      v0Routes: (target) =>
        mount(target, echoParams, async ({ params, query }) => ({ ...params, ...query })),
    });
    const document: unknown = await (await app.request('/openapi.json')).json();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Hearth', version: '1.2.3' },
      servers: [{ url: '/' }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: {
        '/api/v1/echo': {
          post: {
            operationId: 'echo',
            security: [{ token: [] }],
            requestBody: { required: true, content: { 'application/json': {} } },
            responses: { 200: {}, 400: {}, 413: {}, 415: {}, 500: {} },
          },
        },
        '/api/v0/things/{thing}': { get: { parameters: [{ name: 'thing' }, { name: 'limit' }] } },
        '/health': { get: { tags: ['server'], security: [] } },
      },
    });
    expect(await (await app.request('/openapi.json')).json()).toEqual(document);
  });
});

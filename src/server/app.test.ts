import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { mount } from '../api/kit/mount.ts';
import { createTestApp } from '../../test/setup/http/test-app.ts';
import { echoBody, echoParams } from '../../test/setup/http/test-routes.ts';
import { useTemporaryFolder } from '../../test/setup/temporary-folder.ts';

describe('the pages of the server', () => {
  const docs = useTemporaryFolder();
  beforeAll(async () => {
    await writeFile(join(docs.path, 'swagger-ui.css'), 'body {}');
    await writeFile(join(docs.path, 'other.txt'), 'not served');
  });
  const appWith = (options = {}) => createTestApp({ docsFolder: docs.path, ...options }).app;

  it('need no token', async () => {
    const app = appWith({ settings: { 'auth.required': true } });
    for (const path of ['/', '/health', '/ready', '/docs', '/docs/start.js', '/openapi.json']) {
      expect([path, (await app.request(path)).status]).toEqual([path, 200]);
    }
  });

  // covers server-2
  it('point to the reference, which loads nothing from elsewhere', async () => {
    expect(await (await appWith().request('/')).text()).toContain('/docs');
    const page = await appWith().request('/docs');
    expect(page.headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
    const html = await page.text();
    expect(html).not.toContain('//');
    expect(html).not.toMatch(/<script>/);
  });

  it('come from the folder by name only', async () => {
    const css = await appWith().request('/docs/swagger-ui.css');
    expect([css.headers.get('Content-Type'), await css.text()]).toEqual([
      'text/css; charset=utf-8',
      'body {}',
    ]);
    for (const name of ['swagger-ui-bundle.js', 'other.txt', '..%2fetc%2fpasswd']) {
      expect((await appWith().request(`/docs/${name}`)).status).toBe(404);
    }
  });

  it('say when the store does not answer', async () => {
    const ping = async () => {
      throw new Error('no disk');
    };
    const response = await appWith({ ping }).request('/ready');
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

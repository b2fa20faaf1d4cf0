import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApp } from '../../../test/setup/http/test-app.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';

const pages = {
  'index.html': '<a href="/docs/models">Models</a> and /docs/ in text',
  'models.html': '<p>Models</p>',
  'models.md': '# Models\n\n[Start](/docs/index.md)',
  'reference/index.html': '<p>Reference</p>',
  '404.html': '<p>Not found</p>',
  'assets/app.1a2b.js': 'import("/docs/assets/other.js")',
  'llms.txt': '- [Models](/docs/models.md)',
};

describe('the documentation', () => {
  const site = useTemporaryFolder();
  beforeAll(async () => {
    const sizes = Object.entries(pages).map(([name, text]) => [name, text.length]);
    const packed = `${JSON.stringify(sizes)}\n${Object.values(pages).join('')}`;
    await writeFile(join(site.path, 'pages.br'), brotliCompressSync(packed));
    await mkdir(join(site.path, 'images'));
    await writeFile(join(site.path, 'images/chat.webp'), 'a picture');
    await writeFile(join(site.path, 'secret.key'), 'not served');
  });
  const request = (path: string, headers: Record<string, string> = {}, settings = {}) =>
    createTestApp({ docsFolder: site.path, settings }).app.request(path, { headers });

  // covers server-2
  it('is served at /docs without a token, and loads nothing from elsewhere', async () => {
    const settings = { 'auth.required': true };
    const start = await request('/docs', {}, settings);
    expect([start.status, start.headers.get('location')]).toEqual([302, '/docs/']);
    const page = await request('/docs/', {}, settings);
    expect(await page.text()).toBe(pages['index.html']);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:/);
  });

  it.each([
    ['/docs/models', 'text/html; charset=utf-8', pages['models.html']],
    ['/docs/models.md', 'text/markdown; charset=utf-8', pages['models.md']],
    ['/docs/reference/', 'text/html; charset=utf-8', pages['reference/index.html']],
    ['/docs/images/chat.webp', 'image/webp', 'a picture'],
    ['/docs/llms.txt', 'text/plain; charset=utf-8', pages['llms.txt']],
    ['/llms.txt', 'text/plain; charset=utf-8', pages['llms.txt']],
  ])('answers %s', async (path, contentType, text) => {
    const response = await request(path);
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(await response.text()).toBe(text);
  });

  it('leads to the folder of a page', async () => {
    const { status, headers } = await request('/docs/reference');
    expect([status, headers.get('location')]).toEqual([302, '/docs/reference/']);
  });

  it('compresses texts, and lets scripts be kept', async () => {
    const encodings = { 'Accept-Encoding': 'gzip' };
    const response = await request('/docs/assets/app.1a2b.js', encodings);
    const { headers } = response;
    expect(headers.get('content-encoding')).toBe('gzip');
    const bytes = gunzipSync(await response.arrayBuffer());
    expect(bytes.toString()).toBe(pages['assets/app.1a2b.js']);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('has nothing but the files of the site', async () => {
    for (const path of ['/docs/none', '/docs/secret.key', '/docs/pages.br', '/docs/..%2fa.html']) {
      expect([path, (await request(path)).status]).toEqual([path, 404]);
    }
    const page = await request('/docs/none', { Accept: 'text/html' });
    expect([page.status, await page.text()]).toEqual([404, pages['404.html']]);
    expect(await (await request('/docs/none')).json()).toMatchObject({
      error: { code: 'not_found' },
    });
  });

  it('works below a path', async () => {
    const settings = { 'server.publicUrl': 'https://example.com/hearth' };
    const below = (path: string) => request(path, {}, settings);
    expect((await below('/docs')).headers.get('location')).toBe('/hearth/docs/');
    expect(await (await below('/docs/')).text()).toBe(
      '<a href="/hearth/docs/models">Models</a> and /docs/ in text',
    );
    const script = await (await below('/docs/assets/app.1a2b.js')).text();
    expect(script).toBe('import("/hearth/docs/assets/other.js")');
    expect(await (await below('/llms.txt')).text()).toBe('- [Models](/hearth/docs/models.md)');
    expect(await (await below('/docs/images/chat.webp')).text()).toBe('a picture');
  });
});

it('says how to build the documentation of a clone', async () => {
  const { app } = createTestApp();
  const page = await app.request('/docs/');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('npm run build:site');
  expect((await app.request('/docs/models')).status).toBe(404);
  expect((await app.request('/llms.txt')).status).toBe(404);
});

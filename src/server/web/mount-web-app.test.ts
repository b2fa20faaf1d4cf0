import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApp } from '../../../test/setup/http/test-app.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';

const script = 'console.log("Hearth");'.repeat(20);
const html = { Accept: 'text/html,application/xhtml+xml;q=0.9' };

describe('the web app', () => {
  const build = useTemporaryFolder();
  beforeAll(async () => {
    await mkdir(join(build.path, 'assets'));
    const write = (name: string, content: string | Buffer) =>
      writeFile(join(build.path, name), content);
    await write('index.html', '<!doctype html><title>Hearth</title>');
    await write('icon.svg', '<svg/>');
    await write('assets/index-1a2b.js', script);
    await write('assets/packed-3c4d.js.br', brotliCompressSync(script));
    await write('icon-512.png', 'a picture');
    await write('secret.txt', 'not served');
  });
  const request = (path: string, headers: Record<string, string> = {}, settings = {}) =>
    createTestApp({ webFolder: build.path, settings }).app.request(path, { headers });

  // covers server-2
  it('is the answer to browsers, at its root and its pages', async () => {
    for (const path of ['/', '/chat', '/chat/conv_1', '/models', '/developer/tokens']) {
      const response = await request(path, html);
      expect([path, response.status, await response.text()]).toEqual([
        path,
        200,
        '<!doctype html><title>Hearth</title>',
      ]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
  });

  it('leaves the answer to other clients unchanged', async () => {
    const response = await request('/', { Accept: '*/*' });
    expect(await response.text()).toContain('/openapi.json');
    expect(response.headers.get('vary')).toContain('Accept');
    expect((await request('/api/v1/nothing', html)).status).toBe(404);
    expect((await request('/nothing', html)).status).toBe(404);
  });

  it('answers in text if it is not built', async () => {
    const { app } = createTestApp();
    expect(await (await app.request('/', { headers: html })).text()).toContain('/openapi.json');
  });

  it('needs no token: the files contain no data', async () => {
    const settings = { 'auth.required': true };
    expect((await request('/', html, settings)).status).toBe(200);
    expect((await request('/assets/index-1a2b.js', {}, settings)).status).toBe(200);
  });

  it('allows the page nothing inline and nothing of other hosts', async () => {
    const { headers } = await request('/', html);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("img-src 'self' data: blob:");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('draws what models wrote in a document that can send no request', async () => {
    const response = await request('/frame');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src blob: 'sha256-");
    expect(policy).toContain("frame-ancestors 'self'; sandbox allow-scripts");
    expect(policy).not.toMatch(/https?:|allow-same-origin|script-src[^;]*(?:'self'|unsafe)/);
    expect(response.headers.get('x-frame-options')).toBeNull();
    const page = (await request('/', html)).headers.get('content-security-policy');
    expect(page).toContain("frame-src 'self'");
  });

  it.each([
    ['gzip, deflate, br', 'gzip', gzipSync(script)],
    ['br, gzip;q=0.5', 'gzip', gzipSync(script)],
    ['identity, gzip;q=0', null, Buffer.from(script)],
  ])(
    'sends assets to a client that accepts %s as %s, to be kept',
    async (accepted, sent, bytes) => {
      const response = await request('/assets/index-1a2b.js', { 'Accept-Encoding': accepted });
      expect(response.headers.get('content-encoding')).toBe(sent);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    },
  );

  it.each([
    ['gzip, deflate, br', 'br', brotliCompressSync(script)],
    ['gzip, br;q=0', 'gzip', gzipSync(script)],
    ['', null, Buffer.from(script)],
  ])(
    'sends assets of a package to a client that accepts %s as %s',
    async (accepted, sent, bytes) => {
      const response = await request('/assets/packed-3c4d.js', { 'Accept-Encoding': accepted });
      expect(response.headers.get('content-encoding')).toBe(sent);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    },
  );

  it('does not compress pictures', async () => {
    const response = await request('/icon-512.png', { 'Accept-Encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe('a picture');
  });

  it('serves the files of the build only', async () => {
    expect((await request('/icon.svg')).headers.get('content-type')).toBe('image/svg+xml');
    for (const path of [
      '/secret.txt',
      '/assets/none.js',
      '/assets/..%2fsecret.txt',
      '/icon-192.png',
    ]) {
      expect([path, (await request(path)).status]).toEqual([path, 404]);
    }
  });
});

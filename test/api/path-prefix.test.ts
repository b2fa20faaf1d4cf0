import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth({ flags: ['--server-public-url', 'https://example.com/hearth'] });

it.each(['/hearth', ''])(
  'answers below "%s": proxies may leave the path or remove it',
  async (prefix) => {
    for (const path of ['/health', '/api/v1/models', '/v1/models?limit=1', '/api/tags']) {
      expect([path, (await get(hearth.url, prefix + path)).status]).toEqual([path, 200]);
    }
  },
);

it('refuses other paths', async () => {
  for (const path of ['/hearthapi/v1/models', '/other/api/v1/models', '/hearth/hearth/health']) {
    expect([path, (await get(hearth.url, path)).status]).toEqual([path, 404]);
  }
});

it('names the path to pages, to the reference and in links', async () => {
  for (const path of ['/hearth', '/hearth/', '/hearth/chat/conv_1']) {
    const page = await fetch(hearth.url + path, { headers: { accept: 'text/html' } });
    const addresses = (await page.text()).match(/(?<=(?:src|href)=")[^"]*/g) ?? [];
    expect(addresses.length).toBeGreaterThan(4);
    for (const address of addresses) expect(address).toMatch(/^\/hearth\/[a-z]/);
  }
  const { body } = await get(hearth.url, '/openapi.json');
  expect(body.servers).toEqual([{ url: '/hearth' }]);
  const link = await runHearth(['open', '--no-browser'], { home: hearth.home });
  expect(link.stdout).toMatch(/^https:\/\/example\.com\/hearth\/open#code=/m);
});

it('is the path of the cookie of a session, which the proxy sends over HTTPS only', async () => {
  const token = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
  const headers = { origin: 'https://example.com' };
  const { headers: sent } = await post(
    `${hearth.url}/hearth`,
    '/api/v1/sessions',
    { token },
    { headers },
  );
  expect(sent.get('set-cookie')).toMatch(/; Path=\/hearth\/; HttpOnly; Secure; SameSite=Strict$/);
});

it('is found by commands', async () => {
  const host = `${hearth.url}/hearth/`;
  const models = await runHearth(['ls', '--host', host, '--json'], { home: hearth.home });
  expect(models.stdout).toContain('hearth/starter-chat');
  const answer = await runHearth(['chat', 'hearth/starter-chat', '-p', 'Hello!', '--host', host], {
    home: hearth.home,
  });
  expect(answer.exitCode).toBe(0);
});

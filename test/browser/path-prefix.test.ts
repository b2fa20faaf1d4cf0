import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useBrowser } from './setup/browser.ts';
import { conversationList, say } from './setup/chat.ts';

const hearth = useHearth({ flags: ['--server-public-url', 'https://example.com/hearth/'] });
const { openPage } = useBrowser();

const short = { model: 'hearth/starter-chat', maxOutputTokens: 12, reasoning: 'off' };

it('works below a path, and asks for nothing outside of it', async () => {
  const page = await openPage(`${hearth.url}/hearth/`, { settings: short });
  const outside: string[] = [];
  page.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url());
    if (protocol.startsWith('http') && !pathname.startsWith('/hearth/')) outside.push(pathname);
  });
  await page.reload();
  await say(page, 'Hello!', 1);
  await page.waitForURL(/\/hearth\/chat\/conv_/);
  await conversationList(page).getByRole('link', { name: 'Hello!' }).waitFor();

  await page.reload();
  await page.getByRole('article', { name: 'Answer' }).waitFor();
  await page.getByRole('link', { name: 'Models' }).first().click();
  await page.waitForURL(/\/hearth\/models/);
  await page.goto(`${hearth.url}/hearth/developer`);
  await page.getByText(`${hearth.url}/hearth/v1`).first().waitFor();

  // The service worker controls the pages below the path, and caches them.
  const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
  expect(scope).toBe(`${hearth.url}/hearth/`);

  await page.goto(`${hearth.url}/hearth/docs`);
  await page.getByRole('link', { name: 'Models', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/hearth/docs/models');
  expect(outside).toEqual([]);
});

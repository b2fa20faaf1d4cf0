import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { messageField } from './setup/chat.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const ownerToken = async () => (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
const asOwner = async () => ({ headers: { authorization: `Bearer ${await ownerToken()}` } });
const makeLink = async (): Promise<string> =>
  (await post(hearth.url, '/api/v1/sessions/links', undefined, await asOwner())).body.url;
const openByLink = async (): Promise<Page> => {
  const page = await openPage(await makeLink());
  await page.waitForURL(/\/chat$/);
  await messageField(page).waitFor();
  return page;
};
const restart = async (flags: readonly string[] = []) => {
  const { port } = new URL(hearth.url);
  await hearth.stop();
  await hearth.restart({ flags: ['--port', port, ...flags] });
};
const createToken = (page: Page) => page.getByRole('button', { name: 'Create a token' });
const needsAdmin = (page: Page) =>
  page.getByRole('region', { name: 'This part needs the permission admin' });

it('stays signed in over a restart of the server and of the browser, and signs out', async () => {
  const page = await openByLink();
  await page.goto(`${hearth.url}/developer/tokens`);
  await createToken(page).waitFor();
  await restart();
  await page.reload();
  await createToken(page).waitFor();
  // A restarted browser has only its cookies and storage.
  const again = await openPage(`${hearth.url}/developer/tokens`, {
    storageState: await page.context().storageState(),
  });
  await createToken(again).waitFor();
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await needsAdmin(page).waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await again.reload();
  await needsAdmin(again).waitFor();
});

it('shares the session with the other tabs of the browser, which sign out together', async () => {
  const page = await openByLink();
  const other = await page.context().newPage();
  await other.goto(`${hearth.url}/developer/tokens`);
  await createToken(other).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await needsAdmin(other).waitFor();
  expect(await other.evaluate(() => localStorage.getItem('hearth.token'))).toBeNull();
});

it('takes a link once, and tells what to do', async () => {
  const link = await makeLink();
  const page = await openPage(link);
  await messageField(page).waitFor();
  const other = await openPage(link);
  await other.getByText('The link was already used or has expired.', { exact: false }).waitFor();
  expect(other.url()).toBe(`${hearth.url}/open`);
  await expectAccessible(other);
});

it('signs in with a token in a dialog, and explains a wrong one', async () => {
  const page = await openPage(`${hearth.url}/developer/tokens`);
  await needsAdmin(page).getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  const field = dialog.getByLabel('API token');
  await field.fill('hearth-wrong');
  await page.keyboard.press('Enter');
  await dialog.getByText('This token is not one of this server.', { exact: false }).waitFor();
  await expectAccessible(page);
  await field.fill(await ownerToken());
  await page.keyboard.press('Enter');
  await createToken(page).waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => localStorage.getItem('hearth.token'))).toMatch(
    /^hearth-session-/,
  );
});

it('offers to sign in at the sidebar, and gives the focus back', async () => {
  const page = await openPage(hearth.url, { viewport: { width: 1000, height: 700 } });
  const button = page.getByRole('button', { name: 'Sign in' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => button.evaluate((each) => each === document.activeElement)).toBe(true);
});

it('tells which setting lets a phone in', async () => {
  const page = await openPage(`${hearth.url}/devices`);
  await page.getByRole('button', { name: 'Show the code' }).click();
  await page.getByText('Other devices cannot reach this server').waitFor();
  await page.locator('code', { hasText: 'server.host 0.0.0.0' }).waitFor();
  expect(await page.getByRole('img', { name: 'QR code of the link' }).count()).toBe(0);
});

it('shows the code also if the list of devices arrives later', async () => {
  await restart(['--auth-required', '--bind', '0.0.0.0']);
  const page = await openByLink();
  let letArrive = (): void => {};
  const isShown = new Promise<void>((resolve) => {
    letArrive = resolve;
  });
  await page.route('**/api/v1/sessions', async (route) => {
    await isShown;
    await route.continue();
  });
  await page.goto(`${hearth.url}/devices`);
  await page.getByRole('button', { name: 'Show the code' }).click();
  const code = page.getByRole('img', { name: 'QR code of the link' });
  await code.waitFor();
  letArrive();
  await page.getByText('This device', { exact: true }).waitFor();
  expect(await code.isVisible()).toBe(true);
});

it('signs a phone in with a code, which the first device signs out again', async () => {
  await restart(['--auth-required', '--bind', '0.0.0.0']);
  const page = await openByLink();
  await page.goto(`${hearth.url}/devices`);
  const list = page.getByRole('list', { name: 'Signed-in devices' });
  await list.getByText('This device', { exact: true }).waitFor();
  const before = await list.getByRole('listitem').count();
  await page.getByRole('button', { name: 'Show the code' }).click();
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  await expectAccessible(page);
  const shown = await page.getByText('/open#code=', { exact: false }).innerText();
  const link = new URL(shown.trim());

  const phone = await openPage(`${hearth.url}/open${link.hash}`, {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  });
  await messageField(phone).waitFor();
  await page.getByText('is signed in.', { exact: false }).waitFor();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(before + 1);
  await phone.goto(`${hearth.url}/devices`);
  await phone.getByText('This device', { exact: true }).waitFor();

  await list.getByRole('button', { name: /Sign out .*iPhone/ }).click();
  await phone.getByText('You were signed out', { exact: false }).waitFor({ timeout: 40_000 });
  await expectAccessible(phone);
  await phone.getByLabel('API token').fill(await ownerToken());
  await phone.keyboard.press('Enter');
  // The page stays the requested one.
  await phone.getByText('This device', { exact: true }).waitFor();
  expect(phone.url()).toBe(`${hearth.url}/devices`);
  const { body } = await get(hearth.url, '/api/v1/sessions', await asOwner());
  expect(JSON.stringify(body)).not.toContain(link.hash.slice('#code='.length));
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { messageField } from './setup/chat.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const ownerToken = async () => (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();

async function openByLink(): Promise<Page> {
  const headers = { authorization: `Bearer ${await ownerToken()}` };
  const { body } = await post(hearth.url, '/api/v1/sessions/links', undefined, { headers });
  return openPage(body.url as string);
}

it('opens the chat by the link of hearth open, and signs out', async () => {
  const page = await openByLink();
  await page.waitForURL(/\/chat$/);
  await messageField(page).waitFor();
  await page.goto(`${hearth.url}/developer/tokens`);
  await page.getByText('this browser').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('region', { name: 'This part needs the permission admin' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('hearth.token'))).toBeNull();
});

it('shares the session with the other tabs of the browser, which sign out together', async () => {
  const page = await openByLink();
  await messageField(page).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${hearth.url}/developer/tokens`);
  await other.getByRole('button', { name: 'Create a token' }).waitFor();
  await other.reload();
  await other.getByRole('button', { name: 'Create a token' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('region', { name: 'This part needs the permission admin' }).waitFor();
  await other.reload();
  await other.getByRole('region', { name: 'This part needs the permission admin' }).waitFor();
  expect(await other.evaluate(() => sessionStorage.getItem('hearth.token'))).toBeNull();
});

it('continues without the session that a restart has ended, and signs in again', async () => {
  const page = await openByLink();
  // The last part of the page that is loaded.
  await page.getByRole('region', { name: 'Three models that fit this machine' }).waitFor();
  const { port } = new URL(hearth.url);
  await hearth.stop();
  await hearth.restart({ flags: ['--port', port] });
  await page.getByText('You are signed out.').waitFor({ timeout: 40_000 });
  expect(await messageField(page).isVisible()).toBe(true);
  expect(await page.getByRole('heading', { name: 'This server needs a token' }).count()).toBe(0);
  await page.reload();
  await messageField(page).waitFor();

  await page.goto(`${hearth.url}/developer/tokens`);
  const part = page.getByRole('region', { name: 'This part needs the permission admin' });
  await part.getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  const field = dialog.getByLabel('API token');
  await field.fill('hearth-wrong');
  await page.keyboard.press('Enter');
  await dialog.getByText('This token is not one of this server.', { exact: false }).waitFor();
  await expectAccessible(page);
  await field.fill(await ownerToken());
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Create a token' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
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

import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { conversationList, messageField, say } from './setup/chat.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const settings = { model: 'hearth/starter-chat', maxOutputTokens: 8, reasoning: 'off' };
const hasFocus = (element: Locator) => element.evaluate((each) => each === document.activeElement);

it.each([
  ['Control+Shift+o', 'models'],
  ['/', 'models'],
  ['/', 'developer/overview'],
])('takes %s on the page %s to a new chat', async (keys, part) => {
  const page = await openPage(`${hearth.url}/${part}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press(keys);
  await page.waitForURL(`${hearth.url}/chat`);
  await expect.poll(() => hasFocus(messageField(page))).toBe(true);
  expect(await messageField(page).inputValue()).toBe('');
});

it('gives the focus back to the buttons that opened dialogs', async () => {
  const page = await openPage(hearth.url, { settings });
  await say(page, 'What is a lighthouse?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  const button = page.getByRole('button', { name: 'Chat settings' });
  await button.click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(button)).toBe(true);
  const actions = conversationList(page).getByRole('button', { name: /^Actions for What is/ });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(actions)).toBe(true);
  await button.focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(button)).toBe(true);
  await page.goto(`${hearth.url}/models`);
  const details = page.getByRole('button', { name: 'Details of starter-chat' });
  await details.click();
  await page.getByRole('dialog', { name: 'starter-chat' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(details)).toBe(true);
});

it('keeps the focus on the page after the row is gone that had it', async () => {
  const page = await openPage(hearth.url, { settings });
  await say(page, 'What is a harbor?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  await page.goto(`${hearth.url}/shortcuts`);
  const actions = conversationList(page).getByRole('button', { name: /^Actions for What is a h/ });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await actions.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(page.getByRole('main'))).toBe(true);
});

it('hides the sidebar, which stays hidden after a reload', async () => {
  const page = await openPage(hearth.url, { viewport: { width: 1440, height: 900 } });
  const list = conversationList(page);
  await list.waitFor();
  await page.getByRole('button', { name: 'Hide the sidebar' }).click();
  await list.waitFor({ state: 'detached' });
  const show = page.getByRole('button', { name: 'Show the sidebar' });
  await expect.poll(() => hasFocus(show)).toBe(true);
  await page.reload();
  await page.getByRole('link', { name: 'New chat' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Control+b');
  await list.waitFor();
  expect(await show.count()).toBe(0);
});

it('has fields into which phones do not zoom', async () => {
  const page = await openPage(hearth.url, {
    settings,
    isMobile: true,
    hasTouch: true,
    viewport: { width: 360, height: 740 },
  });
  const size = await messageField(page).evaluate((field) => getComputedStyle(field).fontSize);
  expect(size).toBe('16px');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

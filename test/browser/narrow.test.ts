import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useBrowser } from './setup/browser.ts';
import { conversationList } from './setup/chat.ts';
import { importedTurn } from './setup/imported-conversation.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('The element is not visible.');
  return box;
}

/** Placeholders that do not fit into their fields. */
const cutPlaceholders = (fields: Locator) =>
  fields.evaluateAll((all) => {
    const canvas = document.createElement('canvas').getContext('2d');
    return all.flatMap((field) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      if (canvas === null || field.clientWidth === 0) return [];
      canvas.font = font;
      const text = field.getAttribute('placeholder') ?? '';
      const space = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return canvas.measureText(text).width > space + 1 ? [text] : [];
    });
  });

it('keeps messages clear of dialogs', async () => {
  await post(hearth.url, '/api/v1/conversations/import', importedTurn(['Tides'], 'Twice a day.'));
  const page = await openPage(hearth.url, phone);
  await page.route('**/api/v1/conversations/conv_*', (route) => route.abort());
  await page.getByRole('button', { name: 'Open menu' }).tap();
  const actions = conversationList(page).getByRole('button', { name: /^Actions for/ });
  const choose = async (name: string) => {
    await actions.tap();
    await page.getByRole('menuitem', { name }).tap();
  };
  await choose('Pin');
  const message = page.getByText(/^The server does not answer\. Check/).first();
  await message.waitFor();
  await choose('Rename');
  const dialog = page.getByRole('dialog', { name: 'Rename' });
  await dialog.waitFor();
  await expect
    .poll(async () => {
      const [above, below] = [await boxOf(dialog), await boxOf(message)];
      return above.y + above.height <= below.y;
    })
    .toBe(true);
});

it.each([
  ['en', 'All types', 'Settings for all requests', 'Details of starter-chat', 'Tools'],
  ['de', 'Alle Typen', 'Einstellungen für alle Anfragen', 'Details zu starter-chat', 'Tools'],
])('shows placeholders in full in %s', async (locale, types, settings, details, tools) => {
  const page = await openPage(`${hearth.url}/models/discover`, { ...phone, locale });
  const fields = page.locator('input[placeholder]');
  await page.getByText(types).first().waitFor({ state: 'attached' });
  expect(await fields.count()).toBeGreaterThan(0);
  expect(await cutPlaceholders(fields)).toEqual([]);
  await page.goto(`${hearth.url}/models`);
  await page.getByRole('button', { name: details }).tap();
  await page.getByRole('button', { name: settings }).tap();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => fields.count()).toBeGreaterThan(3);
  expect(await cutPlaceholders(dialog.locator('input[placeholder]'))).toEqual([]);
  await page.goto(`${hearth.url}/chat`);
  await page.getByRole('button', { name: tools, exact: true }).tap();
  await dialog.locator('input[type=url]').waitFor();
  expect(await cutPlaceholders(dialog.locator('input[placeholder]'))).toEqual([]);
});

it('counts selected chats on one line', async () => {
  await post(hearth.url, '/api/v1/conversations/import', importedTurn(['Tides'], 'Twice a day.'));
  const page = await openPage(hearth.url, { locale: 'de' });
  await page.getByRole('button', { name: 'Mehrere Chats auswählen' }).click();
  const count = page.getByRole('toolbar').getByRole('status');
  const lines = await count.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
});

it('keeps the names of settings on one line beside the sidebar', async () => {
  const token = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
  const viewport = { width: 768, height: 900 };
  const page = await openPage(`${hearth.url}/developer/settings`, { token, viewport });
  const { height } = await boxOf(page.getByText('server.host', { exact: true }));
  expect(height).toBeLessThan(25);
});

it('shows the beginnings of English prompts and of URLs in Arabic', async () => {
  const text = 'A long prompt. '.repeat(20);
  await post(hearth.url, '/api/v1/prompts/Long', { text }, { method: 'PUT' });
  const page = await openPage(hearth.url, { ...phone, locale: 'ar' });
  await page.getByRole('textbox', { name: 'الرسالة' }).fill('/');
  const prompt = page.getByRole('option').getByText('A long prompt.', { exact: false });
  const directionOf = (element: Locator) =>
    element.evaluate((each) => getComputedStyle(each).direction);
  expect(await directionOf(prompt)).toBe('ltr');
  await page.getByRole('textbox', { name: 'الرسالة' }).fill('');
  await page.getByRole('button', { name: 'الأدوات', exact: true }).tap();
  expect(await directionOf(page.locator('input[type=url]'))).toBe('ltr');
});

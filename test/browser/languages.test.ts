import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const chooseLanguage = async (page: Page, menu: string, language: string) => {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: language }).click();
};
const directionOf = (page: Page) =>
  page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
/** Width by which the page scrolls sideways, and the edge at which its main part begins. */
const layoutOf = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const main = document.querySelector('main')?.getBoundingClientRect();
    return { overflow: scrollWidth - clientWidth, left: main?.left, width: main?.width };
  });

it("takes the browser's language, and keeps another choice in the browser", async () => {
  const page = await openPage(hearth.url, { locale: 'de-AT' });
  await page.getByRole('textbox', { name: 'Nachricht' }).waitFor();
  expect(await directionOf(page)).toEqual(['de', 'ltr']);
  await page.getByRole('textbox', { name: 'Nachricht' }).fill('Ein Entwurf');
  await chooseLanguage(page, 'Sprache', '日本語');
  await page.getByRole('textbox', { name: 'メッセージ' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'メッセージ' }).inputValue()).toBe('Ein Entwurf');
  await page.goto(`${hearth.url}/models`);
  await page.getByRole('heading', { level: 1, name: 'モデル' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'モデル' }).waitFor();
  expect(await directionOf(page)).toEqual(['ja', 'ltr']);
  await chooseLanguage(page, '言語', 'ブラウザーの言語');
  await page.getByRole('heading', { level: 1, name: 'Modelle' }).waitFor();
});

it('loads the texts of the chosen language only', async () => {
  const page = await openPage(`${hearth.url}/models`, { locale: 'fr-FR' });
  await page.getByRole('heading', { level: 1, name: 'Modèles' }).waitFor();
  const scripts = await page.evaluate(async () => {
    const urls = performance.getEntriesByType('resource').map(({ name }) => name);
    const files = urls.filter((url) => /\/(app|models)-[^/]*\.js$/.test(url));
    return await Promise.all(files.map(async (url) => await (await fetch(url)).text()));
  });
  expect(scripts.filter((text) => text.includes('Fermer'))).toHaveLength(1);
  expect(scripts.filter((text) => text.includes('Bibliothèque'))).toHaveLength(1);
  expect(
    scripts.filter((text) => text.includes('This machine has') || text.includes('Schließen')),
  ).toEqual([]);
});

it.each([360, 1440])('mirrors the pages in Arabic at %d pixels', async (width) => {
  const options = { locale: 'ar-EG', viewport: { width, height: 900 } };
  const page = await openPage(hearth.url, options);
  await page.getByRole('textbox', { name: 'الرسالة' }).waitFor();
  expect(await directionOf(page)).toEqual(['ar', 'rtl']);
  for (const path of ['chat', 'models', 'models/import', 'compare', 'voice', 'shortcuts']) {
    await page.goto(`${hearth.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await layoutOf(page), path).toEqual({
      overflow: 0,
      left: 0,
      // The sidebar is at the right.
      width: width < 768 ? width : width - 264,
    });
  }
  if (width >= 768) return;
  await page.getByRole('button', { name: 'فتح القائمة' }).click();
  const drawer = page.getByRole('dialog', { name: 'الصفحات' });
  await drawer.waitFor();
  await expect
    .poll(async () => {
      const box = await drawer.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    })
    .toBe(width);
});

it.each([
  ['ar-EG', 'الأوامر', 'النماذج'],
  ['de-DE', 'Befehle', 'Modelle'],
])('is accessible and works with the keyboard in %s', async (locale, palette, models) => {
  const page = await openPage(hearth.url, { locale });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: palette }).waitFor();
  await expectAccessible(page);
  await page.keyboard.type(models.slice(0, 5));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: models }).waitFor();
  for (const path of ['models', 'compare', 'voice', 'developer/overview', 'shortcuts']) {
    await page.goto(`${hearth.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page);
  }
});

it.each([
  [1, 'كلمة واحدة'],
  [2, 'كلمتان'],
  [5, '5 كلمات'],
  [12, '12 كلمة'],
])('counts %d words with the plural of Arabic', async (words, shown) => {
  const page = await openPage(`${hearth.url}/voice`, { locale: 'ar' });
  const text = page.getByRole('textbox', { name: 'النص', exact: true });
  await text.fill(Array.from({ length: words }, () => 'tide').join(' '));
  const counted = page.getByText(`مداخلة واحدة، ${shown}`);
  await counted.waitFor();
  expect(await counted.count()).toBe(1);
});

it('counts no chats with the plural of Arabic', async () => {
  const page = await openPage(hearth.url, {
    locale: 'ar',
    settings: { model: 'hearth/starter-chat', maxOutputTokens: 4, reasoning: 'off' },
  });
  await page.getByRole('textbox', { name: 'الرسالة' }).fill('Who are you?');
  await page.getByRole('button', { name: 'إرسال' }).click();
  await page.waitForURL(/\/chat\/conv_/);
  await page.getByRole('button', { name: 'تحديد عدة دردشات' }).click();
  const counted = page.getByText('لا شيء محدد');
  await counted.waitFor();
  expect(await counted.count()).toBe(1);
});

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expectAccessible, pictureFolder as folder } from './browser.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** Checks a page with axe in both themes, and keeps pictures of it: light, dark and as on a phone. */
export async function checkLook(page: Page, name: string): Promise<void> {
  await page.setViewportSize(desktop);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    // Colors change one level of the document after the other.
    await page.waitForFunction(
      (expected) =>
        document.documentElement.dataset['theme'] === expected &&
        document.getAnimations().every(({ playState }) => playState !== 'running'),
      theme,
    );
    await expectAccessible(page);
    await keep(page, `${name}-${theme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(phone);
  await keep(page, `${name}-phone`);
  await page.setViewportSize(desktop);
}

async function keep(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  const picture = sharp(await page.screenshot());
  // 256 colours are enough for pages of few.
  await picture.png({ palette: true, effort: 10 }).toFile(join(folder, `${name}.png`));
}

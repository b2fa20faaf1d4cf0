import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { projectFolder } from '../../setup/project-folder.ts';
import { expectAccessible, pictureFolder as folder } from './browser.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** Checks a page with axe in both themes, and takes screenshots: light, dark, and phone size. */
export async function checkLook(page: Page, name: string): Promise<void> {
  await page.setViewportSize(desktop);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    // Color transitions take one step per level of the document.
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
  await page.evaluate(nameFolders, { project: projectFolder, temporary: tmpdir() });
  await sharp(await page.screenshot())
    .webp({ nearLossless: true, quality: 60, effort: 2 })
    .toFile(join(folder, `${name}.webp`));
}

/** Replaces the paths of test folders on the page with paths that users would have. */
function nameFolders(folders: { readonly project: string; readonly temporary: string }): void {
  const home = new RegExp(`${folders.temporary}/hearth-test-\\w+`, 'g');
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode as Text;
    const named = node.data
      .replaceAll(folders.project, '/home/ada/hearth')
      .replaceAll(home, '/home/ada/.hearth');
    if (named !== node.data) node.data = named;
  }
}

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useSmallDisk } from '../setup/small-disk.ts';
import { useBrowser } from './setup/browser.ts';
import { answers, messageField, say, send } from './setup/chat.ts';

const disk = useSmallDisk(2 * 1024 * 1024);
const hearth = useHearth(() => ({ flags: [`--store-url=${join(disk.path, 'hearth.db')}`] }));
const { openPage } = useBrowser();

it('shows an answer that could not be stored with the reason, and continues once there is space', async () => {
  const settings = { model: 'hearth/starter-chat', maxOutputTokens: 12, reasoning: 'off' };
  const page = await openPage(hearth.url, { settings });
  await messageField(page).waitFor();
  await disk.fill();
  await send(page, 'Hello!');
  await page.getByText(/could not be stored. Is the disk full/).waitFor();
  expect(await answers(page).locator('.markdown').innerText()).toMatch(/^Hello/);
  await disk.free();
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await page.waitForURL(/\/chat\/conv_/);
  await say(page, 'And again.', 2);
});

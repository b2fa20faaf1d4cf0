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

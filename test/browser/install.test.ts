import { expect, it } from 'vitest';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useBrowser } from './setup/browser.ts';
import { messageField } from './setup/chat.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

interface Manifest {
  readonly icons: readonly { readonly src: string; readonly purpose?: string }[];
}

it('can be installed, with an icon that fills the shape of the system', async () => {
  const page = await openPage(hearth.url);
  await messageField(page).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  const devTools = await page.context().newCDPSession(page);
  const { errors, data = '{}' } = await devTools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { icons } = JSON.parse(data) as Manifest;
  expect(icons.map(({ purpose }) => purpose)).toContain('maskable');
  for (const { src } of icons) expect((await get(hearth.url, `/${src}`)).status).toBe(200);
  const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
  // The profile of a test is private.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
});

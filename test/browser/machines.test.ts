import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../setup/net/ports.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useBrowser } from './setup/browser.ts';
import { checkLook } from './setup/pictures.ts';

/** Two machines. Both are this machine, with different addresses. */

const boxAddress = '127.0.0.2';
let boxPort = 0;

const laptop = useHearth();
const box = useHearth(async () => {
  boxPort = await freePort();
  const environment = { HEARTH_SERVER_LINK_ADDRESS: `${boxAddress}:${boxPort}` };
  return { environment, flags: ['--bind', boxAddress] };
});
const { openPage } = useBrowser();

const openMachines = async ({ url, home }: typeof laptop) => {
  const token = (await readFile(join(home, 'owner-token'), 'utf8')).trim();
  return openPage(`${url}/developer/machines`, { token });
};

it('links two machines with a code, and ends the link', async () => {
  const offering = await openMachines(box);
  await offering.getByText('No machine uses the models of this one.').waitFor();
  await offering.getByRole('button', { name: 'Share models' }).click();
  const offer = offering.getByRole('dialog', { name: 'Share models' });
  const code = await offer.getByLabel('Code', { exact: true }).innerText();
  expect(await offer.getByLabel('Command for the other machine').innerText()).toContain(
    `hearth link add ${boxAddress}:${boxPort} ${code}`,
  );

  const page = await openMachines(laptop);
  await page.getByRole('button', { name: 'Link a machine' }).click();
  const dialog = page.getByRole('dialog', { name: 'Link a machine' });
  const link = dialog.getByRole('button', { name: 'Link', exact: true });
  await dialog.getByRole('textbox', { name: 'Address' }).fill(boxAddress);
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(boxPort));
  await dialog.getByRole('textbox', { name: 'Code' }).fill('hello');
  await dialog.getByRole('textbox', { name: 'Name (optional)' }).fill('box');
  await link.click();
  await dialog.getByText(/six groups/).waitFor();
  await dialog.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase());
  await link.click();

  const machines = page.getByRole('list', { name: 'Linked machines' });
  await machines.getByText('3 models').waitFor();
  await machines.getByText(`${boxAddress}:${boxPort}`).waitFor();
  await checkLook(page, 'machines');
  const { models } = (await get(laptop.url, '/api/v1/models')).body;
  expect(models[0]).toMatchObject({ machines: ['box'] });

  await offer.getByText(/is linked and can use the models of this machine/).waitFor();
  await offering.keyboard.press('Escape');
  const users = offering.getByRole('list', { name: 'Machines that use this one' });
  await users.getByRole('listitem').waitFor();

  await page.getByRole('button', { name: 'Remove box' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No machine is linked.').waitFor();
  await offering.reload();
  await offering.getByText('No machine uses the models of this one.').waitFor();
});

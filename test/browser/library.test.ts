import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { startLoopbackServer } from '../setup/net/loopback-server.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { answered, answers } from './setup/chat.ts';

const upstream = useResource(() =>
  startLoopbackServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'large', object: 'model' }] }));
  }),
);
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  const upstreams = { lab: { url: `${upstream.url}/v1`, kind: 'vllm' } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
});
const { openPage } = useBrowser();

it('prefers other models to the starter, until the user chooses the starter', async () => {
  const settings = { model: 'hearth/starter-chat', prefersStarter: false };
  const page = await openPage(hearth.url, { settings });
  const chosen = (model: string) => page.getByRole('button', { name: `Choose a model: ${model}` });
  await page.getByRole('button', { pressed: true }).waitFor();
  expect(await chosen('hearth/starter-chat').count()).toBe(0);
  await page.getByText('Explain recursion to a child.').waitFor();
  await page.getByRole('button', { name: /^starter-chat/ }).click();
  await chosen('hearth/starter-chat').waitFor();
  expect(await page.getByText('Explain recursion to a child.').count()).toBe(0);
  await page.reload();
  await chosen('hearth/starter-chat').waitFor();
  await page.getByRole('button', { name: 'Who are you?' }).click();
  await answered(page, 1);
  expect(await answers(page).locator('.markdown').last().innerText()).toMatch(/I am Starter/);
});

it('names models by their keys, and deletes only those that can be deleted', async () => {
  const page = await openPage(`${hearth.url}/models`);
  // The model's header contains the name of the starter model.
  await page.getByRole('button', { name: 'Details of endless' }).waitFor();
  await page.getByRole('button', { name: 'Delete endless' }).waitFor();
  const remote = page.getByRole('listitem').filter({ hasText: 'lab/large' });
  await remote.getByText('Remote server', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: /^Delete (starter|large)/ }).count()).toBe(0);
  expect(await page.getByText(/\b0 B\b/).count()).toBe(0);
  await expectAccessible(page);
});

it('shows no memory of a model on another server', async () => {
  const page = await openPage(hearth.url, { settings: { model: endlessModel } });
  await page.getByRole('button', { name: `Choose a model: ${endlessModel}` }).click();
  const option = page.getByRole('option', { name: /large/ });
  await option.getByText('On another server', { exact: false }).waitFor();
  await page.getByRole('option', { name: /starter-vision.*needs .* of memory/ }).waitFor();
  expect(await page.getByText(/\b0 B\b/).count()).toBe(0);
});

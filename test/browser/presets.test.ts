import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { adapterAnswers, placeAdapter } from '../setup/models/adapters.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { answered, answers, messageField, send } from './setup/chat.ts';
import { checkLook } from './setup/pictures.ts';

const hearth = useHearth(async (home) => {
  await placeAdapter(home, 'pirate');
});
const { openPage } = useBrowser();

const settings = { model: 'hearth/starter-chat', maxOutputTokens: 12, reasoning: 'off' };
const put = (path: string, body: object) =>
  post(hearth.url, `/api/v1/${path}`, body, { method: 'PUT' });

// covers preset-6
it('inserts a prompt that / finds, with its variables', async () => {
  await put('prompts/Greet', { text: 'Hello!' });
  await put('prompts/Translate', { text: 'Say {{what=good morning}} in {{language}}.' });
  const page = await openPage(hearth.url, { settings });
  const field = messageField(page);
  await field.fill('/');
  const list = page.getByRole('listbox', { name: 'Prompts' });
  await expect.poll(() => list.getByRole('option').count()).toBe(3);
  await expectAccessible(page);
  await field.press('Escape');
  await list.waitFor({ state: 'detached' });
  await field.fill('');
  await field.fill('/ trans');
  await expect.poll(() => list.getByRole('option').allInnerTexts()).toHaveLength(1);
  const active = await field.getAttribute('aria-activedescendant');
  expect(await list.getByRole('option', { selected: true }).getAttribute('id')).toBe(active);
  await field.press('Enter');
  const form = page.getByRole('dialog', { name: 'Fill in the prompt' });
  expect(await form.getByLabel('what').inputValue()).toBe('good morning');
  await expectAccessible(page);
  await form.getByLabel('language').fill('French');
  await form.getByLabel('language').press('Enter');
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => field.inputValue()).toBe('Say good morning in French.');
  await field.fill('/');
  await field.press('ArrowDown');
  await field.press('ArrowUp');
  await field.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('Hello!');
  // A slash that begins no prompt is part of a normal message.
  await send(page, '/etc/hosts');
  await answered(page, 1);
});

it('adds, renames, exports, deletes and imports prompts', async () => {
  const page = await openPage(hearth.url, { settings });
  await messageField(page).fill('/');
  await page.getByRole('option', { name: 'Manage prompts…' }).click();
  const manager = page.getByRole('dialog', { name: 'Prompts' });
  await manager.getByRole('button', { name: 'Add a prompt' }).click();
  await manager.getByLabel('Name').fill('Draft');
  await manager.getByLabel('Text').fill('Write about {{topic}}.');
  await manager.getByRole('button', { name: 'Save' }).click();
  await manager.getByRole('button', { name: 'Edit Draft' }).click();
  await manager.getByLabel('Name').fill('Essay');
  await manager.getByRole('button', { name: 'Save' }).click();
  await manager.getByRole('button', { name: 'Delete Essay' }).waitFor();
  await checkLook(page, 'prompts');
  const download = page.waitForEvent('download');
  await manager.getByRole('button', { name: 'Export' }).click();
  const file = await (await download).path();
  const exported = JSON.parse(await readFile(file, 'utf8'));
  expect(exported.prompts).toContainEqual({ name: 'Essay', text: 'Write about {{topic}}.' });
  await manager.getByRole('button', { name: 'Delete Essay' }).click();
  await manager.getByRole('button', { name: 'Delete Essay' }).waitFor({ state: 'detached' });
  await manager.getByLabel('Import').setInputFiles(file);
  await manager.getByRole('button', { name: 'Delete Essay' }).waitFor();
  const bad = { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
  await manager.getByLabel('Import').setInputFiles(bad);
  await page.getByText('This file has no prompts.', { exact: false }).first().waitFor();
});

// covers preset-7
it('saves a preset that a second tab sees, and shows the defaults of the model', async () => {
  const page = await openPage(hearth.url, { settings });
  const openPanel = async (tab: typeof page) => {
    await tab.getByRole('button', { name: 'Chat settings' }).click();
    return tab.getByRole('dialog', { name: 'Chat settings' });
  };
  const panel = await openPanel(page);
  await panel.getByText('Default: 0.8.', { exact: false }).waitFor();
  await panel.getByText('Default: 40.').waitFor();
  await panel.getByText('take no more than 1', { exact: false }).waitFor();
  await panel.getByLabel('Temperature', { exact: true }).fill('0.3');
  await panel.getByLabel('System prompt').fill('You answer in rhymes.');
  await panel.getByLabel('Name of the preset').fill('Poet');
  await panel.getByRole('button', { name: 'Save as preset' }).click();
  await panel.getByRole('button', { name: 'Update the preset' }).waitFor();
  await panel.getByRole('button', { name: 'Reset: Temperature' }).click();
  expect(await panel.getByLabel('Temperature', { exact: true }).inputValue()).toBe('');

  const second = await page.context().newPage();
  await second.goto(hearth.url);
  const other = await openPanel(second);
  await other.getByLabel('Choose a preset').selectOption('Poet');
  expect(await other.getByLabel('Temperature', { exact: true }).inputValue()).toBe('0.3');
  // The list of models has the presets, too.
  const third = await page.context().newPage();
  await third.goto(hearth.url);
  await third.getByRole('button', { name: /^Choose a model/ }).click();
  const presets = third.getByRole('group', { name: 'Presets' });
  await presets.getByRole('option', { name: 'Poet' }).waitFor();
  await expectAccessible(third);
  await third.getByRole('combobox', { name: 'Search models' }).fill('poe');
  await third.keyboard.press('Enter');
  const its = await openPanel(third);
  expect(await its.getByLabel('Temperature', { exact: true }).inputValue()).toBe('0.3');
  expect(await its.getByLabel('System prompt').inputValue()).toBe('You answer in rhymes.');

  await other.getByLabel('Top K').fill('7');
  await other.getByRole('button', { name: 'Update the preset' }).click();
  await expect
    .poll(async () => (await get(hearth.url, '/api/v1/presets/Poet')).body.revision)
    .toBe(2);

  // The first tab has an older revision, so it can't overwrite the change.
  await panel.getByRole('button', { name: 'Update the preset' }).click();
  await page.getByText('has revision 2', { exact: false }).first().waitFor();
  const { body } = await get(hearth.url, '/api/v1/presets/Poet');
  expect(body).toMatchObject({ top_k: 7, temperature: 0.3, revision: 2 });
  // The page beside the panel stays usable.
  await send(second, 'Hello!');
  await answered(second, 1);
  await other.getByRole('button', { name: 'Delete the preset' }).click();
  await other.getByRole('button', { name: 'Save as preset' }).waitFor();
});

it('moves the presets of the browser to the server once', async () => {
  const page = await openPage(hearth.url, { settings });
  const kept = [
    { name: 'Old/one', settings: { systemPrompt: 'Be brief.', integrations: [], topK: 9 } },
  ];
  await page.evaluate(
    (value) => localStorage.setItem('hearth.chat.presets', value),
    JSON.stringify(kept),
  );
  await page.reload();
  await page.getByRole('button', { name: 'Chat settings' }).click();
  const panel = page.getByRole('dialog', { name: 'Chat settings' });
  await panel.getByLabel('Choose a preset').selectOption('Old one');
  expect(await panel.getByLabel('System prompt').inputValue()).toBe('Be brief.');
  expect(await page.evaluate(() => localStorage.getItem('hearth.chat.presets'))).toBeNull();
  const { body } = await get(hearth.url, '/api/v1/presets/Old%20one');
  expect(body).toMatchObject({ system_prompt: 'Be brief.', top_k: 9, revision: 1 });
});

it('chooses the adapters of a chat', async () => {
  const chosen = { ...settings, maxOutputTokens: 64, temperature: 0 };
  const page = await openPage(hearth.url, { settings: chosen });
  await page.getByRole('button', { name: 'Chat settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Chat settings' });
  await dialog.getByRole('group', { name: 'Adapters' }).getByLabel('Starter Chat Pirate').check();
  await expect
    .poll(() => dialog.getByLabel('Scale of Starter Chat Pirate', { exact: true }).inputValue())
    .toBe('1');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await send(page, 'Hello!');
  await answers(page)
    .getByText(adapterAnswers.pirate['Hello!'] ?? '')
    .waitFor();
});

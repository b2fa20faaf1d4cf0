import { expect, it } from 'vitest';
import {
  chatgptExport,
  claudeExport,
  lmStudioExport,
  openWebuiExport,
} from '../setup/conversations/app-exports.ts';
import { zipOfFiles } from '../setup/zip.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { answered, answers, messageField, send } from './setup/chat.ts';
import { importedTurn } from './setup/imported-conversation.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const settings = { model: 'hearth/starter-chat', maxOutputTokens: 12, reasoning: 'off' };

it('creates a project, chats in it, moves chats and deletes it', async () => {
  const imported = { ...importedTurn(['Hello!'], 'Hi.'), title: 'Outside' };
  await post(hearth.url, '/api/v1/conversations/import', imported);
  const page = await openPage(hearth.url, { settings });
  await page.getByRole('button', { name: 'New project' }).click();
  const dialog = page.getByRole('dialog', { name: 'New project' });
  await dialog.getByLabel('Name').fill('The sea');
  await dialog.getByLabel('Name').press('Enter');
  await page.getByRole('heading', { name: 'The sea', level: 1 }).waitFor();
  await page.getByLabel('Instructions').fill('You know the sea.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .locator('input[type=file][multiple]')
    .first()
    .setInputFiles({
      name: 'tides.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Tides'),
    });
  await page.getByText('tides.md').waitFor();
  await expectAccessible(page);
  const { body } = await get(hearth.url, '/api/v1/projects');
  expect(body.projects).toMatchObject([
    { name: 'The sea', instructions: 'You know the sea.', files: [{ name: 'tides.md' }] },
  ]);
  await page.getByRole('button', { name: 'New chat in this project' }).click();
  await page.waitForURL(/project=proj_/);
  await send(page, 'Hello, sea!');
  await answered(page, 1);
  await page.waitForURL(/\/chat\/conv_/);
  const own = `/api/v1/conversations?project_id=${body.projects[0].project_id}`;
  await expect
    .poll(async () => (await get(hearth.url, own)).body.conversations)
    .toMatchObject([{ title: 'Hello, sea!' }]);
  const [{ conversation_id: id }] = (await get(hearth.url, own)).body.conversations;
  const { responses } = (await get(hearth.url, `/api/v1/conversations/${id}/responses`)).body;
  expect(JSON.stringify(responses[0])).toContain('# Tides');

  const sidebar = page.getByRole('region', { name: 'Projects' });
  const toggle = sidebar.getByRole('button', { name: 'Conversations of The sea' });
  await toggle.press('Enter');
  await sidebar.getByRole('link', { name: 'Hello, sea!' }).waitFor();
  expect(await toggle.getAttribute('aria-expanded')).toBe('true');

  await page.getByRole('button', { name: 'Actions for Outside' }).click();
  await page.getByRole('menuitem', { name: 'Move to a project' }).click();
  const move = page.getByRole('dialog', { name: 'Move to a project' });
  await move.getByRole('button', { name: 'The sea' }).click();
  await sidebar.getByRole('link', { name: 'Outside' }).waitFor();

  await page.getByRole('button', { name: 'Select several chats' }).click();
  await sidebar.getByLabel('Outside').check();
  const bar = page.getByRole('toolbar', { name: 'Selected chats' });
  await bar.getByRole('button', { name: 'Move to a project' }).click();
  await move.getByRole('button', { name: 'Out of its project' }).click();
  await sidebar.getByRole('link', { name: 'Outside' }).waitFor({ state: 'detached' });
  const chat = page.getByRole('link', { name: 'Outside' });
  await chat.dragTo(sidebar.getByRole('link', { name: 'The sea' }));
  await sidebar.getByRole('link', { name: 'Outside' }).waitFor();
  await expect.poll(() => chat.count()).toBe(1);
  await chat.dragTo(page.getByText('Your conversations will be listed here.'));
  await sidebar.getByRole('link', { name: 'Outside' }).waitFor({ state: 'detached' });

  await sidebar.getByRole('link', { name: 'The sea' }).click();
  await page.getByLabel('Search in this project').fill('no such word');
  await page.getByText('No conversation contains that.').first().waitFor();
  await page.getByRole('button', { name: 'Delete the project' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await sidebar.getByRole('link', { name: 'The sea' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Hello, sea!' }).waitFor();
});

it('searches long files of a project, and shows a cited passage in its text', async () => {
  const { project_id: id } = (await post(hearth.url, '/api/v1/projects', { name: 'Harbour' })).body;
  const page = await openPage(`${hearth.url}/chat/projects/${id}`, { settings });
  const rows = (from: number) =>
    Array.from({ length: 200 }, (_, row) => `Row ${from + row}: grain was weighed.`).join('\n');
  const fact = 'The parrot of the harbour master is called Bramble.';
  const buffer = Buffer.from(`${rows(1)}\n\n${fact}\n\n${rows(201)}`);
  await page
    .locator('input[type=file][multiple]')
    .first()
    .setInputFiles({ name: 'log.md', mimeType: 'text/markdown', buffer });
  const state = page
    .getByRole('status')
    .getByText('Chats search these files by meaning and words.');
  await state.waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'New chat in this project' }).click();
  await page.waitForURL(/project=proj_/);
  await send(page, 'Whose parrot is Bramble?');
  await answered(page, 1);
  await page.waitForURL(/\/chat\/conv_/);
  await page.getByRole('region', { name: 'Passages of log.md' }).waitFor();
  const wasHidden = await page.evaluateHandle(() => {
    const result = { value: false };
    new MutationObserver(() => {
      result.value ||= document.querySelector('[aria-label="Passages of log.md"]') === null;
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
    return result;
  });
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('group', { name: 'Branches' }).getByText('2/2').waitFor();
  await answered(page, 1);
  expect(await wasHidden.jsonValue()).toEqual({ value: false });
  expect(await page.getByRole('region', { name: 'Passages of log.md' }).count()).toBe(1);
  // The starter model is too small to cite.
  await page.getByRole('button', { name: 'Edit the answer' }).click();
  const field = answers(page).getByRole('textbox', { name: 'Edit the answer' });
  await field.fill('The harbour master’s [1].');
  await field.press('Control+Enter');
  const sources = page.getByRole('region', { name: 'Sources' });
  await sources.getByRole('button', { name: /^Show log\.md, lines/ }).click();
  const dialog = page.getByRole('dialog', { name: /^log\.md, lines/ });
  await dialog.locator('mark').getByText(fact).waitFor();
  await dialog.getByText('Row 190: grain').waitFor();
  await expectAccessible(page);
});

it('imports an export after a preview, and once only', async () => {
  const page = await openPage(hearth.url, { settings });
  await page.getByRole('button', { name: 'Import conversations' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import conversations' });
  const hand = (name: string, buffer: Buffer) =>
    dialog.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer });
  await hand('notes.json', Buffer.from('{"mapping": 1}'));
  await dialog.getByRole('alert').getByText('not an export').waitFor();
  const broken = { title: 'Broken', mapping: {} };
  const zip = zipOfFiles({ 'conversations.json': JSON.stringify([broken, ...chatgptExport]) });
  await hand('export.zip', zip);
  const status = dialog.getByRole('status');
  await status.getByText('The file has 1 new conversation with 2 answers.').waitFor();
  await status.getByText('1 conversation can’t be imported').click();
  await status.getByText('Broken: It has no messages.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await status.getByText('1 conversation was imported, with 2 answers.').waitFor();
  await dialog.getByRole('button', { name: 'Open the first one' }).click();
  await page.waitForURL(/\/chat\/conv_/);
  await answers(page).getByText('Because of the moon.').waitFor();
  await page.getByRole('group', { name: 'Branches' }).getByText('2/2').first().waitFor();
  expect(await messageField(page).isVisible()).toBe(true);

  await page.getByRole('button', { name: 'Import conversations' }).click();
  await hand('export.zip', zip);
  await status.getByText('1 conversation was imported before.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
});

it.each([
  ['Claude', claudeExport],
  ['Open WebUI', openWebuiExport],
  ['LM Studio', lmStudioExport],
])('imports and opens an export of %s', async (_app, exported) => {
  const page = await openPage(hearth.url, { settings });
  await page.getByRole('button', { name: 'Import conversations' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import conversations' });
  const buffer = Buffer.from(JSON.stringify(exported));
  const file = { name: 'export.json', mimeType: 'application/json', buffer };
  await dialog.locator('input[type=file]').setInputFiles(file);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByRole('button', { name: 'Open the first one' }).click();
  await page.waitForURL(/\/chat\/conv_/);
  await answers(page).first().waitFor();
  expect(await answers(page).first().innerText()).not.toBe('');
});

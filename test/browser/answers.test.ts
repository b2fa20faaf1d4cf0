import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { get, post } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';
import { join } from 'node:path';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import {
  answered,
  answers,
  conversationList,
  handFile,
  messageField,
  say,
  send,
} from './setup/chat.ts';
import { importedConversation, importedTurn } from './setup/imported-conversation.ts';
import type { Page } from 'playwright-core';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { flags: [`--engine-llama-server=${await writeScriptedEngine(home)}`] };
});
const folder = useTemporaryFolder();
const { openPage } = useBrowser();

const settings = { model: 'hearth/starter-chat' };
const script = (...generations: readonly ScriptedGeneration[]) => JSON.stringify(generations);
const openSettings = async (page: Page) => {
  await page.getByRole('button', { name: 'Chat settings' }).click();
  return page.getByRole('dialog', { name: 'Chat settings' });
};

it('keeps the error of an answer that broke off, also after a reload', async () => {
  const page = await openPage(hearth.url, { settings });
  await send(page, script({ text: 'Half an answer'.repeat(500), tokensPerSecond: 20 }));
  await answers(page).getByText('Half an').first().waitFor();
  process.kill(await enginePidOf(hearth, settings.model), 'SIGKILL');
  await page.waitForURL(/\/chat\/conv_/);
  await answers(page).getByText('The answer was interrupted.').waitFor();
  const alert = answers(page).getByRole('alert');
  const reason = await alert.innerText();
  expect(reason).toMatch(/Regenerate the answer: the model is then loaded again/);
  await page.reload();
  await answers(page).getByText('The answer was interrupted.').waitFor();
  expect(await alert.innerText()).toBe(reason);
  await expectAccessible(page);
});

it('keeps the words of a first message that the server refuses', async () => {
  const page = await openPage(hearth.url, { settings: { ...settings, temperature: 5 } });
  await send(page, 'My first words.');
  await answers(page)
    .getByRole('alert')
    .getByText(/temperature/)
    .waitFor();
  await expect.poll(() => messageField(page).inputValue()).toBe('My first words.');
  await page.reload();
  await expect.poll(() => messageField(page).inputValue()).toBe('My first words.');
  await messageField(page).press('Enter');
  await page.waitForURL(/\/chat\/conv_/);
  expect(await messageField(page).inputValue()).toBe('');
});

it('continues the conversation after a message that the server refused', async () => {
  const page = await openPage(hearth.url, { settings });
  await say(page, script({ text: 'The first answer.' }, { text: 'The second answer.' }), 1);
  await page.waitForURL(/\/chat\/conv_/);
  const id = page.url().split('/').at(-1) ?? '';
  await page.evaluate((key) => {
    const all = JSON.parse(localStorage.getItem('hearth.chat.settings') ?? '{}');
    all[key] = { ...all[key], temperature: 5 };
    localStorage.setItem('hearth.chat.settings', JSON.stringify(all));
  }, id);
  await page.reload();
  await answered(page, 1);
  await send(page, 'Continue.');
  await answers(page)
    .getByRole('alert')
    .getByText(/temperature/)
    .waitFor();
  const dialog = await openSettings(page);
  await dialog.getByLabel('Temperature', { exact: true }).fill('0.5');
  await dialog.getByText('From 0 (most predictable) to 1 (most varied)').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await messageField(page).press('Enter');
  await answers(page).getByText('The second answer.').waitFor();
  const { body } = await get(hearth.url, `/api/v1/conversations/${id}`);
  const [first, second] = body.responses;
  expect(second.previous_response_id).toBe(first.response_id);
});

it('begins a new chat without the settings of the last one, and names the model of each answer', async () => {
  const page = await openPage(hearth.url, { settings });
  const dialog = await openSettings(page);
  await dialog.getByLabel('System prompt').fill('Be brief.');
  await page.keyboard.press('Escape');
  await say(page, script({ text: 'Yes.' }), 1);
  await page.waitForURL(/\/chat\/conv_/);
  await answers(page).getByText('starter-chat', { exact: true }).waitFor();
  await openSettings(page);
  expect(await dialog.getByLabel('System prompt').inputValue()).toBe('Be brief.');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
  await openSettings(page);
  expect(await dialog.getByLabel('System prompt').inputValue()).toBe('');
});

it('names a conversation with a document after the words of its message if the page is left', async () => {
  const page = await openPage(hearth.url, { settings });
  const content = Buffer.from('The tide rises twice a day.');
  await handFile(page, 'drop', { name: 'notes.txt', type: 'text/plain', content });
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await page.getByLabel('Reading notes.txt').waitFor({ state: 'detached' });
  await send(page, script({ text: 'one two three four five six', tokensPerSecond: 4 }));
  await page.waitForURL(/run=resp_/);
  await page.getByRole('link', { name: 'New chat' }).click();
  const titles = async () => {
    const { body } = await get(hearth.url, '/api/v1/conversations');
    return (body.conversations as readonly { readonly title: string }[]).map(({ title }) => title);
  };
  await expect.poll(titles).toContainEqual(expect.stringMatching(/^\[\{"text":"one two/));
  expect(await titles()).not.toContainEqual(expect.stringContaining('notes.txt'));
  await conversationList(page)
    .getByRole('link', { name: /"one two/ })
    .first()
    .waitFor();
});

it('lets the model name a conversation, which waits for the next message', async () => {
  const page = await openPage(hearth.url, { settings: { model: endlessModel } });
  const first = [
    { text: 'Both pull the sea.' },
    { text: '"Moon and sea"', waitsOnce: join(folder.path, 'first-title') },
  ];
  await say(page, script(...first), 1);
  await page.waitForURL(/\/chat\/conv_/);
  const requests = async () =>
    (await instancesOf(hearth.url)).get(endlessModel)?.active_requests ?? 0;
  await expect.poll(requests).toBe(1);
  await say(page, 'And the wind?', 2);
  await conversationList(page).getByRole('link', { name: 'Moon and sea', exact: true }).waitFor();
  expect(await requests()).toBe(0);
  await say(page, 'Again?', 3);
  await expect.poll(requests).toBe(0);
  expect(await page.title()).toContain('Moon and sea');
});

it('waits for the server with an answer that is resumed while it does not answer', async () => {
  const page = await openPage(`${hearth.url}/health`);
  await page.route('**/api/v1/responses/*/events', (route) => route.abort());
  await page.goto(`${hearth.url}/chat?run=resp_${'0'.repeat(48)}`);
  const state = answers(page).getByRole('status');
  await expect.poll(() => state.innerText()).toContain('Waiting for the server');
});

it('lays out tables, code and matrices whatever the direction and the width', async () => {
  const text = [
    'שלום עולם',
    '| Implementation | Characteristics | Responsibilities | Recommendation |\n|---|---|---|---|\n| one | two | three | four |',
    '```js\nlet first;\n```',
    'שלום `a.b()` עולם',
    '$$\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$',
  ].join('\n\n');
  const { body } = await post(
    hearth.url,
    '/api/v1/conversations/import',
    importedTurn(['?'], text),
  );
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, {
    viewport: { width: 360, height: 760 },
  });
  const answer = answers(page);
  await answer.locator('mtd').first().waitFor();
  const lines = await answer.locator('th').evaluateAll((cells) =>
    cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    }),
  );
  expect(lines).toEqual([1, 1, 1, 1]);
  const directions = await answer
    .locator('pre, p code, .katex-html')
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
  expect(new Set(directions)).toEqual(new Set(['ltr']));
  const gaps = await answer
    .locator('.katex-html .arraycolsep')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
  expect(Math.min(...gaps)).toBeGreaterThan(2);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(360);
  await expectAccessible(page);
});

it('shows footnotes and folded details', async () => {
  const text =
    'Salt[^1] water.\n\n<details><summary>The proof</summary>\n\n**Hidden** at first.\n\n</details>\n\n[^1]: Of the *sea*.';
  const { body } = await post(
    hearth.url,
    '/api/v1/conversations/import',
    importedTurn(['?'], text),
  );
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`);
  const answer = answers(page);
  await answer.getByRole('note').getByText('Of the sea.').waitFor();
  expect(await answer.locator('.markdown').innerText()).not.toMatch(/<|\^/);
  const hidden = answer.getByText('Hidden');
  expect(await hidden.isVisible()).toBe(false);
  await answer.getByText('The proof').click();
  await hidden.waitFor();
  await expectAccessible(page);
});

it('continues, edits, regenerates with another model and deletes an answer', async () => {
  const words = script({ text: 'never' }, { text: ' the second half.' }, { text: 'Never, too.' });
  const exported = importedTurn([words], 'The first half,');
  const responses = exported.responses.map((response) => ({
    ...response,
    turn: { ...response.turn, stopReason: 'maxPredictedTokensReached' },
  }));
  const path = '/api/v1/conversations/import';
  const { body } = await post(hearth.url, path, { ...exported, responses });
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, { settings });
  await answers(page).getByText('The answer ended at its maximum length.').waitFor();
  await answers(page).getByRole('button', { name: 'Continue' }).click();
  await answers(page).getByText('The first half, the second half.').waitFor();
  const branches = page.getByRole('group', { name: 'Branches' });
  await branches.getByText('2/2').waitFor();
  expect(await answers(page).getByText('maximum length').count()).toBe(0);

  const act = async (name: string) => {
    await answers(page).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await answers(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem').first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  await answers(page).getByRole('button', { name: 'Edit the answer' }).click();
  const field = answers(page).getByRole('textbox', { name: 'Edit the answer' });
  expect(await field.inputValue()).toBe('The first half, the second half.');
  await field.fill('My own words.');
  await expectAccessible(page);
  await field.press('Control+Enter');
  await answers(page).getByText('My own words.').waitFor();
  await page.reload();
  await answers(page).getByText('My own words.').waitFor();

  await answers(page).getByRole('button', { name: 'Answer with another model' }).click();
  await page.getByRole('menuitem', { name: 'starter-vision' }).click();
  await branches.getByText('3/3').waitFor();
  await answers(page).getByText('starter-vision', { exact: true }).waitFor();
  await answered(page, 1);

  await act('Delete the message and its answer');
  const dialog = page.getByRole('dialog', { name: /^Delete this message/ });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await branches.getByText('2/2').waitFor();
  await answers(page).getByText('My own words.').waitFor();
  await act('Delete the message and its answer');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await answers(page).getByText('The first half,').waitFor();
  expect(await branches.count()).toBe(0);
  await act('Delete the message and its answer');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/chat$/);
  const stored = `/api/v1/conversations/${body.conversation_id}`;
  await expect.poll(async () => (await get(hearth.url, stored)).status).toBe(404);
});

it('prints all messages of a chat on light paper, also from another page', async () => {
  const exported = { ...importedConversation(60), title: 'A chat on paper' };
  await post(hearth.url, '/api/v1/conversations/import', exported);
  const page = await openPage(`${hearth.url}/models`, { colorScheme: 'dark' });
  await page.evaluate(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', '');
  });
  await conversationList(page).getByRole('button', { name: 'Actions for A chat on paper' }).click();
  await page.getByRole('menuitem', { name: 'Print or save as PDF' }).click();
  await page.locator('html[data-printed]').waitFor();
  const view = page.locator('.print-view');
  expect(await view.isVisible()).toBe(false);
  await expectAccessible(page);
  await page.emulateMedia({ media: 'print' });
  expect(await messageField(page).isVisible()).toBe(false);
  const shown = await view.innerText();
  for (let number = 1; number <= 60; number += 1) expect(shown).toContain(`Question ${number}\n`);
  expect(shown).toContain('Answer 60');
  expect(await view.evaluate((each) => getComputedStyle(each).color)).toBe('rgb(34, 29, 26)');
  const pdf = (await page.pdf()).toString('latin1');
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(5);
  // Chromium has told the page that it printed.
  await view.waitFor({ state: 'detached' });
});

it('finds a text in the conversation, and leads from a search to the message', async () => {
  const path = '/api/v1/conversations/import';
  const { body } = await post(hearth.url, path, importedConversation(120));
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, { settings });
  const isInView = (text: string) =>
    page.getByRole('log').evaluate((log, wanted) => {
      const found = [...log.querySelectorAll('article')].find((each) =>
        each.textContent.startsWith(wanted),
      );
      const place = found?.getBoundingClientRect();
      const view = log.getBoundingClientRect();
      return place !== undefined && place.top < view.bottom && place.bottom > view.top;
    }, text);
  await page.getByText('Question 120', { exact: true }).waitFor();
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search', { name: 'Find in this chat' });
  const field = bar.getByRole('searchbox');
  await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  await field.fill('question 11');
  await bar.getByText('11 of 11').waitFor();
  await expect.poll(() => isInView('Question 119')).toBe(true);
  await field.press('Enter');
  await bar.getByText('10 of 11').waitFor();
  await bar.getByRole('button', { name: 'Next match' }).click();
  await bar.getByRole('button', { name: 'Next match' }).click();
  await bar.getByText('1 of 11').waitFor();
  await expect.poll(() => isInView('Question 11')).toBe(true);
  expect(await page.evaluate(() => CSS.highlights.get('find-current')?.size)).toBe(1);
  await expectAccessible(page);
  await field.fill('nowhere');
  await bar.getByText('Not found').waitFor();
  await field.press('Escape');
  await bar.waitFor({ state: 'detached' });

  const list = conversationList(page);
  await list.getByRole('searchbox').fill('question 57');
  await list
    .getByRole('region', { name: 'Results' })
    .getByRole('link', { name: /A long conversation.*Question 57/ })
    .click();
  await expect.poll(() => isInView('Question 57')).toBe(true);
  expect(await field.inputValue()).toBe('question 57');
  await page.reload();
  await expect.poll(() => isInView('Question 57')).toBe(true);
});

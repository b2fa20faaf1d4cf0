import { expect, it, onTestFinished } from 'vitest';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { picture } from '../setup/models/picture.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { get, post } from '../setup/server/api.ts';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, networkHost, useBrowser } from './setup/browser.ts';
import {
  answered,
  answers,
  conversationList,
  handFile,
  messageField,
  say,
  send,
} from './setup/chat.ts';
import { importedTurn } from './setup/imported-conversation.ts';
import { checkLook } from './setup/pictures.ts';
import { startSlowNetwork } from './setup/slow-network.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { flags: [`--server-allowed-hosts=${networkHost}`] };
});
const { openPage } = useBrowser();

const short = { model: 'hearth/starter-chat', maxOutputTokens: 12, reasoning: 'off' };
const endless = { model: endlessModel, contextLength: 8192, reasoning: 'off' };

async function expectIdle(model: string): Promise<void> {
  const requests = async () => (await instancesOf(hearth.url)).get(model)?.active_requests ?? 0;
  await expect.poll(requests).toBe(0);
}

it('greets with the starter models, and answers, shows figures and lists the conversation', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
  await page.getByRole('button', { name: /starter-vision/ }).waitFor();
  await expectAccessible(page);
  await say(page, 'What is the colour of the sky?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  expect(await answers(page).innerText()).not.toBe('');
  const figures = page.getByRole('list', { name: 'Figures of this answer' });
  expect(await figures.innerText()).toMatch(
    /tokens\/s[\s\S]*first token after[\s\S]*context \d+ of/,
  );
  await conversationList(page).getByText('What is the colour of the sky?').waitFor();
  await expectAccessible(page);
});

it('continues after a reload and in another tab, where it can be stopped', async () => {
  const page = await openPage(hearth.url, { settings: endless });
  await send(page, 'Tell me an endless story.');
  await page.waitForURL(/run=resp_/);
  await page.waitForFunction(() => document.querySelector('.markdown')?.textContent !== '');
  await page.reload();
  await answers(page).waitFor();
  const length = async () => (await answers(page).innerText()).length;
  const before = await length();
  await expect.poll(length, { timeout: 20_000 }).toBeGreaterThan(before);
  const elsewhere = await openPage(page.url(), { settings: short });
  await expect
    .poll(async () => (await answers(elsewhere).innerText()).length)
    .toBeGreaterThan(before);
  const other = await page.context().newPage();
  await other.goto(hearth.url);
  await conversationList(other)
    .getByRole('link', { name: /endless story/ })
    .click();
  await other.getByRole('button', { name: 'Stop the answer' }).click();
  for (const each of [page, other, elsewhere]) {
    await each.getByText('The answer was interrupted.').waitFor();
    await each.waitForURL(/\/chat\/conv_/);
  }
});

it('edits a message into a branch, and walks between the branches', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await say(page, 'Count to three.', 1);
  await page.waitForURL(/\/chat\/conv_/);
  await say(page, 'Name a fruit.', 2);
  await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
  await page.getByRole('textbox', { name: 'Edit', exact: true }).fill('Name an animal.');
  await page.keyboard.press('Enter');
  const branches = page.getByRole('group', { name: 'Branches' });
  await branches.getByText('2/2').waitFor();
  await page.getByText('Name an animal.').waitFor();
  await branches.getByRole('button', { name: 'Previous branch' }).click();
  await page.getByText('Name a fruit.').waitFor();
  expect(await branches.innerText()).toContain('1/2');
  await page.getByRole('button', { name: 'Regenerate' }).last().click();
  await branches.getByText('3/3').waitFor();
});

it('edits the first message into a branch, and shows the tree of branches', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await say(page, 'Name a river.', 1);
  await page.waitForURL(/\/chat\/conv_/);
  const address = page.url();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Edit', exact: true }).fill('Name a mountain.');
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Branches' }).getByText('2/2').waitFor();
  await answered(page, 1);
  await say(page, 'And another one.', 2);
  expect(page.url()).toBe(address);
  await page.getByRole('button', { name: 'Show all branches' }).click();
  const tree = page.getByRole('dialog', { name: 'Branches' });
  await expect
    .poll(() => tree.getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Name a river\.\s+1 answer$/),
      expect.stringMatching(/^Name a mountain\.\s+2 answers$/),
    ]);
  await expectAccessible(page);
  await tree.getByRole('button', { name: /Name a river/ }).click();
  await page.getByRole('article', { name: 'You' }).getByText('Name a river.').waitFor();
  expect(await answers(page).count()).toBe(1);
});

it('keeps what an engine had written that crashed, and answers again', async () => {
  const page = await openPage(hearth.url, { settings: endless });
  await send(page, 'Tell me a story that breaks off.');
  await page.waitForFunction(() => (document.querySelector('.markdown')?.textContent ?? '') !== '');
  process.kill(await enginePidOf(hearth, endlessModel), 'SIGKILL');
  await page.waitForURL(/\/chat\/conv_/);
  await page.getByText('The answer was interrupted.').waitFor();
  expect(await answers(page).locator('.markdown').innerText()).not.toBe('');
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('button', { name: 'Stop the answer' }).click();
  await page.getByRole('group', { name: 'Branches' }).getByText('2/2').waitFor();
  // An answer without an id is stopped once it has one, so the page must stay open until then.
  await expectIdle(endlessModel);
});

it('stops an answer that the server has not taken yet', async () => {
  const page = await openPage(hearth.url, { settings: endless });
  let letArrive = (): void => {};
  const isStopped = new Promise<void>((resolve) => {
    letArrive = resolve;
  });
  await page.route('**/api/v1/chat', async (route) => {
    await isStopped;
    await route.continue();
  });
  await send(page, 'Tell me a story that never began.');
  await page.getByRole('button', { name: 'Stop the answer' }).click();
  letArrive();
  await page.waitForURL(/\/chat\/conv_/);
  await page.getByText('The answer was interrupted.').waitFor();
  await expectIdle(endlessModel);
});

it('continues an answer on a slow network that breaks off', async () => {
  const network = await startSlowNetwork(hearth.url, { delayMs: 150 });
  onTestFinished(() => network.close());
  const page = await openPage(network.url, { settings: endless });
  await send(page, 'Tell me a slow story.');
  const length = async () => (await answers(page).innerText()).length;
  await expect.poll(length, { timeout: 20_000 }).toBeGreaterThan(100);
  network.breakOff();
  await page.getByText('The server does not answer').waitFor();
  const before = await length();
  network.resume();
  await expect.poll(length, { timeout: 20_000 }).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Stop the answer' }).click();
  await page.getByText('The answer was interrupted.').waitFor();
});

it('sends an image to a model with vision', async () => {
  const page = await openPage(hearth.url, {
    settings: { ...short, model: 'hearth/starter-vision' },
  });
  const [, base64 = ''] = (await picture('red')).split(',');
  const file = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') };
  await page.locator('form input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Remove red.png' }).waitFor();
  const handed = { type: file.mimeType, content: file.buffer };
  await handFile(page, 'paste', { ...handed, name: 'pasted.png' });
  await handFile(page, 'drop', { ...handed, name: 'dropped.png' });
  for (const name of ['pasted.png', 'dropped.png']) {
    const picked = page.locator('form li', { hasText: name });
    await expect
      .poll(() => picked.locator('img').evaluate((each: HTMLImageElement) => each.naturalWidth))
      .toBe(56);
    await picked.getByRole('button', { name: `Remove ${name}` }).click();
  }
  await say(page, 'Which colour is this?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  const image = page.getByRole('log').locator('img');
  await image.waitFor();
  await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(56);
  await page.reload();
  await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(56);
  const open = page.getByRole('button', { name: 'Open the picture in full size' });
  await open.click();
  const full = page.getByRole('dialog', { name: 'Picture' });
  await full.getByRole('button', { name: 'Actual size' }).click();
  await full.getByRole('button', { name: 'Actual size', pressed: true }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await full.waitFor({ state: 'detached' });
  await expect.poll(() => open.evaluate((each) => each === document.activeElement)).toBe(true);
});

it('answers on a host of the network without TLS, and takes and copies texts there', async () => {
  const page = await openPage(hearth.url.replace('127.0.0.1', networkHost), { settings: short });
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await handFile(page, 'drop', {
    name: 'notes.txt',
    type: 'text/plain',
    content: Buffer.from('The tide rises twice a day.'),
  });
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await say(page, 'What do the notes say?', 1);
  await answers(page).getByRole('button', { name: 'Copy' }).click();
  await answers(page).getByRole('button', { name: 'Copied' }).waitFor();
});

it('finds, renames, pins and deletes a conversation', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await say(page, 'Is a zebrafish striped?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  const list = conversationList(page);
  await list.getByRole('searchbox').fill('brafis');
  await list
    .getByRole('region', { name: 'Results' })
    .getByText('brafis', { exact: true })
    .waitFor();
  await list.getByRole('searchbox').fill('');
  await list.getByRole('button', { name: 'Actions for Is a zebrafish striped?' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Fish');
  await page.keyboard.press('Enter');
  await list.getByRole('button', { name: 'Actions for Fish' }).click();
  await page.getByRole('menuitem', { name: 'Pin' }).click();
  await list.getByRole('region', { name: 'Pinned' }).getByText('Fish').waitFor();
  const choose = async (name: string) => {
    await list.getByRole('button', { name: 'Actions for Fish' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Archive');
  await expect.poll(() => list.getByText('Fish').count()).toBe(0);
  await list.getByRole('button', { name: 'Archived chats' }).click();
  await list.getByRole('region', { name: 'Archived' }).getByText('Fish').waitFor();
  await expectAccessible(page);
  await choose('Move out of the archive');
  await list.getByText('No chat is archived.').waitFor();
  await list.getByRole('button', { name: 'Back to all chats' }).click();
  await list.getByRole('region', { name: 'Pinned' }).getByText('Fish').waitFor();
  const address = page.url().replace('/chat/', '/api/v1/conversations/');
  const remove = async () => {
    await choose('Delete');
    await page.getByText('The chat was deleted.').first().waitFor();
  };
  await remove();
  await page.waitForURL(/\/chat$/);
  const composer = await page.locator('form', { has: messageField(page) }).boundingBox();
  for (const toast of await page.getByText('The chat was deleted.').all()) {
    const place = await toast.boundingBox();
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThan(composer?.y ?? 0);
  }
  await expect.poll(() => list.getByText('Fish').count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await list.getByText('Fish').waitFor();
  await remove();
  await page.getByLabel('Dismiss').first().click();
  const status = async () => (await page.request.get(address)).status();
  await expect.poll(status).toBe(404);
  expect(await list.getByText('Fish').count()).toBe(0);
});

it('deletes several conversations, also if the page is closed before they are gone', async () => {
  for (const title of ['One', 'Two', 'Three']) {
    const conversation = { ...importedTurn(['Hello!'], 'Hello.'), title: `Bulk ${title}` };
    await post(hearth.url, '/api/v1/conversations/import', conversation);
  }
  const titles = async () => {
    const { body } = await get(hearth.url, '/api/v1/conversations?search=Bulk');
    const all = body.conversations as readonly { readonly title: string }[];
    return all.map(({ title }) => title);
  };
  const page = await openPage(hearth.url, { settings: short });
  const list = conversationList(page);
  await list.getByText('Bulk One').waitFor();
  await list.getByRole('button', { name: 'Select several chats' }).click();
  const bar = list.getByRole('toolbar', { name: 'Selected chats' });
  await bar.getByText('0 selected').waitFor();
  await list.getByRole('checkbox', { name: 'Bulk One' }).check();
  await list.getByRole('checkbox', { name: 'Bulk Three' }).check();
  await bar.getByText('2 selected').waitFor();
  await expectAccessible(page);
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 chats were deleted.').first().waitFor();
  await expect.poll(() => list.getByText('Bulk One').count()).toBe(0);
  await list.getByRole('link', { name: 'Bulk Two' }).waitFor();
  expect(await titles()).toHaveLength(3);
  await page.goto('about:blank');
  await expect.poll(titles).toEqual(['Bulk Two']);
});

it('deletes a temporary chat when it is left, and lists it nowhere', async () => {
  const page = await openPage(hearth.url, { settings: short });
  const temporary = page.getByRole('button', { name: 'Temporary chat' });
  await temporary.click();
  await page.getByText('This chat is not listed').waitFor();
  await expectAccessible(page);
  await say(page, 'A secret question.', 1);
  await page.waitForURL(/\/chat\/conv_/);
  await say(page, 'Another secret question.', 2);
  const address = () => page.url().replace('/chat/', '/api/v1/conversations/');
  const status = async (url: string) => (await page.request.get(url)).status();
  const first = address();
  expect(await status(first)).toBe(200);
  expect(await conversationList(page).getByText('secret question').count()).toBe(0);
  await page.getByRole('link', { name: 'Models' }).click();
  await expect.poll(() => status(first)).toBe(404);

  await page.goto(`${hearth.url}/chat`);
  await temporary.click();
  await say(page, 'A secret question.', 1);
  await page.waitForURL(/\/chat\/conv_/);
  const second = address();
  await page.reload();
  await page.waitForURL(/temporary=true/);
  await expect.poll(() => status(second)).toBe(404);
  const kept = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
  expect(kept).not.toContain('secret');
});

it('keeps a draft, works with the keyboard, and fits a phone', async () => {
  const page = await openPage(hearth.url, {
    settings: short,
    colorScheme: 'dark',
    viewport: { width: 390, height: 780 },
  });
  await messageField(page).fill('A draft');
  await page.reload();
  await expect.poll(() => messageField(page).inputValue()).toBe('A draft');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await conversationList(page).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('keyb');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(390);
  await checkLook(page, 'shortcuts');
});

it('can be installed, and reduces motion', async () => {
  const page = await openPage(hearth.url, { settings: short });
  const session = await page.context().newCDPSession(page);
  const { errors, data } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { icons } = JSON.parse(data ?? '') as { readonly icons: readonly { src: string }[] };
  const found = icons.map(async ({ src }) =>
    (await page.request.get(new URL(src, hearth.url).href)).status(),
  );
  expect(await Promise.all(found)).toEqual([200, 200, 200, 200]);
  const seconds = await page.evaluate(() => {
    const element = document.createElement('i');
    element.className = 'animate-spin';
    document.body.append(element);
    return Number.parseFloat(getComputedStyle(element).animationDuration);
  });
  expect(seconds).toBeLessThan(0.001);
});

it('reports a server that has gone, and continues when it is back', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await messageField(page).waitFor();
  // The service worker keeps the files of the page.
  const isKept = () =>
    page.evaluate(async () => {
      const cache = await caches.open('hearth-shell');
      const urls = performance
        .getEntriesByType('resource')
        .flatMap(({ name }) => (/\/assets\/(index|rolldown|app)/.test(name) ? [name] : []));
      const kept = await Promise.all(urls.map((url) => cache.match(url, { ignoreVary: true })));
      const isControlled = navigator.serviceWorker.controller !== null;
      return isControlled && urls.length > 1 && kept.every((each) => each !== undefined);
    });
  await expect.poll(isKept).toBe(true);
  const { port } = new URL(hearth.url);
  await hearth.stop();
  await page.getByText('The server does not answer').first().waitFor({ timeout: 40_000 });
  await page.reload();
  await messageField(page).waitFor();
  await hearth.restart({ flags: ['--port', port] });
  const notice = page.getByText('The server does not answer');
  await expect.poll(() => notice.count(), { timeout: 40_000 }).toBe(0);
  await say(page, 'Are you back?', 1);
});

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { docxOf, paragraph, xlsxOf } from '../setup/documents/office-file.ts';
import { explodingPdf, pdfOf } from '../setup/documents/pdf-file.ts';
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
import { importedTurn } from './setup/imported-conversation.ts';
import { checkLook } from './setup/pictures.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

const short = { model: 'hearth/starter-chat', maxOutputTokens: 12, reasoning: 'off' };
const fact = 'The harbour master keeps a grey parrot whose name is Bramble.';

const attach = (page: Page, name: string, content: string | Buffer) =>
  page
    .locator('form input[type=file]')
    .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });

const table = (name: string) => ({ name, type: 'text/csv', content: Buffer.from('a,b\n1,2\n') });

it('attaches files by choice, drop and paste, and reads a PDF', async () => {
  const page = await openPage(hearth.url, { settings: { ...short, contextLength: 4096 } });
  await attach(page, 'tides.pdf', pdfOf(['High water is at noon.', fact]));
  await handFile(page, 'drop', table('dropped.csv'));
  await handFile(page, 'paste', table('pasted.csv'));
  for (const name of ['tides.pdf', 'dropped.csv', 'pasted.csv'])
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
  await attach(page, 'program.bin', Buffer.from([0, 255, 1]));
  const fault = page.getByRole('alert').filter({ hasText: 'program.bin is neither an image' });
  await fault.waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show tides.pdf' }).click();
  await page.getByRole('dialog', { name: 'tides.pdf' }).getByText(fact).waitFor();
  await page.keyboard.press('Escape');
  await say(page, 'What is the parrot called?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  await conversationList(page).getByText('What is the parrot called?').waitFor();
  const card = page.getByRole('region', { name: 'tides.pdf' });
  await card.getByRole('button').click();
  await card.getByText(fact).waitFor();
  expect(await page.getByRole('region', { name: 'pasted.csv' }).isVisible()).toBe(true);
  await expectAccessible(page);
});

it('reads Office files on the server, and asks the model about them', async () => {
  const page = await openPage(hearth.url, { settings: short });
  const told = docxOf(paragraph('My name is Ada.'));
  const row = '<row><c t="inlineStr"><is><t>Herring</t></is></c></row>';
  await attach(page, 'about me.docx', told);
  await attach(page, 'fish.xlsx', xlsxOf({ Prices: row }));
  await attach(page, 'old.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'));
  const fault = page.getByRole('alert').filter({ hasText: 'old.doc is in a format of Office' });
  await fault.getByText('Save it as .docx').waitFor();
  await page.locator('form li', { hasText: 'about me.docx' }).getByText('about 5 tokens').waitFor();
  await page.getByRole('button', { name: 'Show fish.xlsx' }).click();
  await page.getByRole('dialog', { name: 'fish.xlsx' }).getByText('| Herring |').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove old.doc' }).click();
  await page.getByRole('button', { name: 'Remove fish.xlsx' }).click();
  await say(page, 'What is my name?', 1);
  expect(await answers(page).innerText()).toContain('Ada');
  const card = page.getByRole('region', { name: 'about me.docx' });
  await card.getByRole('button').click();
  await card.getByText('My name is Ada.').waitFor();
});

it('gives up a PDF that unpacks to 400 MB, and chats on', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await messageField(page).waitFor();
  const bomb = explodingPdf();
  expect(bomb.length).toBeLessThan(10_000);
  await attach(page, 'bomb.pdf', bomb);
  await page.getByLabel('Reading bomb.pdf').waitFor();
  await page
    .getByRole('alert')
    .filter({ hasText: /bomb\.pdf (needs|takes) more than/ })
    .waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Remove bomb.pdf' }).click();
  await say(page, 'Hello!', 1);
});

it('shows where files can be dropped, and makes a file of a long text that is pasted', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await messageField(page).waitFor();
  const drag = (type: string) =>
    page.evaluate((name) => {
      const data = new DataTransfer();
      data.items.add(new File(['a'], 'a.txt', { type: 'text/plain' }));
      document.body.dispatchEvent(new DragEvent(name, { bubbles: true, dataTransfer: data }));
    }, type);
  const hint = page.getByText('Drop files to attach them');
  await drag('dragenter');
  await hint.waitFor();
  await expectAccessible(page);
  await drag('dragleave');
  await hint.waitFor({ state: 'detached' });
  await drag('dragenter');
  await drag('drop');
  await hint.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove a.txt' }).click();

  const paste = (text: string) =>
    messageField(page).evaluate((field, pasted) => {
      const data = new DataTransfer();
      data.setData('text/plain', pasted);
      const init = { bubbles: true, cancelable: true, clipboardData: data };
      return field.dispatchEvent(new ClipboardEvent('paste', init));
    }, text);
  expect(await paste('A short text.')).toBe(true);
  const long = 'The tide rises twice a day. '.repeat(200);
  expect(await paste(long)).toBe(false);
  await page.getByRole('button', { name: 'Remove Pasted text.txt' }).waitFor();
  await paste(long);
  await page.getByRole('button', { name: 'Remove Pasted text 2.txt' }).click();
  await messageField(page).fill('What do you think?');
  await page.getByRole('button', { name: 'Insert Pasted text.txt as text' }).click();
  expect(await messageField(page).inputValue()).toBe(`What do you think?\n${long}`);
  expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(0);
});

it('chooses passages of a file that is larger than the context, for each message', async () => {
  const page = await openPage(hearth.url, { settings: { ...short, contextLength: 2048 } });
  const filler = Array.from(
    { length: 120 },
    (_, index) => `Row ${index}: wheat, barley and rye were weighed on the old market scales.`,
  );
  await attach(
    page,
    'log.txt',
    [...filler, ...Array.from({ length: 40 }, () => fact), ...filler].join('\n'),
  );
  await page.getByRole('button', { name: 'Remove log.txt' }).waitFor();
  await say(page, 'Whose parrot is Bramble?', 1);
  const card = page.getByRole('region', { name: 'Passages of log.txt' });
  await card.getByRole('button').click();
  await card.getByText(fact, { exact: false }).first().waitFor();
  await card.getByText(/^\[1\] log.txt, lines \d+ to \d+$/).waitFor();
  await page.waitForURL(/\/chat\/conv_/);
  await page.getByText('in passages').waitFor();
  await say(page, 'Which grain was weighed?', 2);
  await expect.poll(() => card.count()).toBe(2);
});

it('imports a conversation with its sources, and exports it', async () => {
  const page = await openPage(hearth.url, { settings: short });
  const passages =
    'Passages of attached files that are nearest to the message. Cite those that you use by their numbers, such as [1].' +
    `\n\n[1] tides.pdf, page 2\n\n\`\`\`\n${fact}\n\`\`\``;
  const file = importedTurn([passages, 'Who is Bramble?'], 'A parrot [1].');
  await page.getByRole('button', { name: 'Import conversations' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import conversations' });
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'a.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(file)),
  });
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByRole('button', { name: 'Open the first one' }).click();
  const sources = page.getByRole('region', { name: 'Sources' });
  await sources.getByRole('button', { name: 'Show tides.pdf, page 2' }).click();
  const passage = page.getByRole('dialog', { name: 'tides.pdf, page 2' });
  await passage.getByText(fact).waitFor();
  await page.keyboard.press('Escape');
  const exportAs = async (format: string) => {
    const actions = conversationList(page).getByRole('button', {
      name: `Actions for ${file.title}`,
    });
    await actions.click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: `Export as ${format}` }).click();
    return download;
  };
  expect((await exportAs('Markdown')).suggestedFilename()).toBe('An-imported-conversation.md');
  const exported = await exportAs('JSON');
  expect(exported.suggestedFilename()).toBe('An-imported-conversation.json');
  const [response] = file.responses;
  expect(JSON.parse(await readFile(await exported.path(), 'utf8'))).toMatchObject({
    format: file.format,
    title: file.title,
    responses: [{ model: response?.model, turn: { items: response?.turn.items } }],
  });
});

it('takes a picture with the camera', async () => {
  const page = await openPage(hearth.url, {
    settings: { ...short, model: 'hearth/starter-vision' },
  });
  await page.getByRole('button', { name: 'Take a picture' }).click();
  await page.getByRole('button', { name: 'Take the picture' }).click();
  const picture = page.locator('form li', { hasText: 'picture.jpg' }).locator('img');
  await expect
    .poll(() => picture.evaluate((each: HTMLImageElement) => each.naturalWidth))
    .toBeGreaterThan(0);
});

it('takes a picture with the program of a phone where the page has no camera', async () => {
  const page = await openPage(hearth.url, {
    settings: { ...short, model: 'hearth/starter-vision' },
    hasTouch: true,
    isMobile: true,
  });
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'mediaDevices', { value: undefined }),
  );
  await page.reload();
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Take a picture' }).click();
  const input = (await chosen).element();
  expect([await input.getAttribute('capture'), await input.getAttribute('accept')]).toEqual([
    'environment',
    'image/*',
  ]);
});

it('offers to leave messages out or to continue from a summary when the context is full', async () => {
  const page = await openPage(hearth.url, {
    settings: { ...short, maxOutputTokens: 4, contextLength: 512 },
  });
  await say(page, 'Hello!', 1);
  await page.waitForURL(/\/chat\/conv_/);
  await say(page, `Remember this: ${'the sea is calm '.repeat(53)}`, 2);
  const notice = page.getByRole('region', { name: 'Context' });
  await notice.getByText(/fills \d+% of the context/).waitFor();
  await notice.getByRole('button', { name: 'Leave out the oldest messages' }).click();
  await notice.getByText(/are left out when it is full/).waitFor();
  await notice.getByRole('button', { name: 'Continue from a summary' }).click();
  await page.getByText('Summary of our conversation so far:', { exact: false }).waitFor();
  await answered(page, 1);
  const branches = page.getByRole('group', { name: 'Branches' });
  await expect.poll(() => branches.innerText()).toContain('2/2');
  expect(await answers(page).count()).toBe(1);
});

it('answers in JSON of a schema, as a preset and the tools panel are kept', async () => {
  const page = await openPage(hearth.url, { settings: { ...short, maxOutputTokens: 40 } });
  await page.getByRole('button', { name: 'Chat settings' }).click();
  const panel = page.getByRole('dialog', { name: 'Chat settings' });
  await checkLook(page, 'chat-settings');
  await panel.getByLabel('Format of the answer').selectOption('JSON with a schema');
  const schema = {
    type: 'object',
    properties: { colour: { enum: ['red', 'green'] } },
    required: ['colour'],
  };
  await panel.getByLabel('JSON schema').fill('{');
  await panel.getByText('This is not a JSON object.', { exact: false }).waitFor();
  await panel.getByLabel('JSON schema').fill(JSON.stringify(schema));
  await panel.getByLabel('Name of the server').fill('there');
  await panel.getByLabel('URL of the server').fill('https://tools.example.org/mcp');
  await panel.getByRole('button', { name: 'Add', exact: true }).click();
  await panel.getByRole('button', { name: 'Remove there' }).click();
  await panel.getByLabel('Name of the preset').fill('Colours');
  await panel.getByRole('button', { name: 'Save as preset' }).click();
  await panel.getByRole('button', { name: 'Back to the defaults' }).click();
  await panel.getByLabel('Choose a preset').selectOption('Colours');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await send(page, 'Name a colour.');
  const shape = /\{\s*"colour"\s*:\s*"(red|green)"\s*\}/;
  await expect.poll(() => answers(page).innerText()).toMatch(shape);
});

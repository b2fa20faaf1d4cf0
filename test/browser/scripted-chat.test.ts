import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { answers, conversationList, messageField, say, send } from './setup/chat.ts';
import { checkLook } from './setup/pictures.ts';
import { importedConversation, importedTurn } from './setup/imported-conversation.ts';

let place: Harbour;
let token: string;

const hearth = useHearth(async (home) => {
  place = await addHarbour(home);
  const { authorization } = await place.bearer('chat', 'plugins', 'models:read', 'models:write');
  token = authorization.replace('Bearer ', '');
  const program = await writeScriptedEngine(home);
  return {
    flags: ['--auth-required', '--mcp-allow-plugins', `--engine-llama-server=${program}`],
  };
});
const { openPage } = useBrowser();

const settings = { model: 'hearth/starter-chat' };
/** The plugin's tools have no hint that they are read-only, so they need a permission. */
async function allowTools(by: string, ...tools: readonly string[]): Promise<void> {
  for (const tool of tools) {
    const init = { method: 'PUT', headers: { authorization: `Bearer ${by}` } };
    const path = `/api/v1/tool-approvals/harbour/${tool}`;
    expect((await post(hearth.url, path, { decision: 'always' }, init)).status).toBe(200);
  }
}
const script = (...generations: readonly ScriptedGeneration[]) => JSON.stringify(generations);

it('asks for a token, refuses a wrong one, and keeps a session of a valid one', async () => {
  const page = await openPage(hearth.url);
  await page.getByRole('heading', { name: 'This server needs a token' }).waitFor();
  await checkLook(page, 'token');
  const field = page.getByLabel('API token');
  await field.fill('hearth-wrong');
  await page.keyboard.press('Enter');
  await page.getByText(/is not one of this server|Authorization: Bearer/).waitFor();
  await field.fill(token);
  await page.keyboard.press('Enter');
  await messageField(page).waitFor();
  await page.reload();
  await messageField(page).waitFor();
  const kept = await page.evaluate(() => localStorage.getItem('hearth.token'));
  expect(kept).toMatch(/^hearth-session-/);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await field.waitFor();
  expect(await page.evaluate(() => localStorage.getItem('hearth.token'))).toBeNull();
});

it('asks for another token when the one of the tab is revoked', async () => {
  const owner = await readFile(join(hearth.home, 'owner-token'), 'utf8');
  const headers = { authorization: `Bearer ${owner.trim()}` };
  const wanted = { name: 'phone', permissions: ['chat', 'models:read'] };
  const { body: made } = await post(hearth.url, '/api/v1/tokens', wanted, { headers });
  const page = await openPage(hearth.url, { token: made.token, settings });
  await say(page, script({ text: 'Still allowed.' }), 1);
  await page.waitForURL(/\/chat\/conv_/);
  await get(hearth.url, `/api/v1/tokens/${made.id}`, { method: 'DELETE', headers });
  await page.getByRole('heading', { name: 'This server needs a token' }).waitFor();
  await page
    .getByText(/is unknown or revoked/)
    .first()
    .waitFor();
  await page.getByLabel('API token').fill(token);
  await page.keyboard.press('Enter');
  // The conversation belongs to the other token.
  await page.getByText(/No stored conversation/).waitFor();
  await page.getByRole('link', { name: 'To the chat' }).click();
  await messageField(page).waitFor();
  expect(page.url()).toBe(`${hearth.url}/chat`);
});

it('asks for another token when the one of the tab has expired', async () => {
  const owner = await readFile(join(hearth.home, 'owner-token'), 'utf8');
  const headers = { authorization: `Bearer ${owner.trim()}` };
  const wanted = {
    name: 'visitor',
    permissions: ['chat', 'models:read'],
    expires_at: new Date(Date.now() + 1000).toISOString(),
  };
  const { body: made } = await post(hearth.url, '/api/v1/tokens', wanted, { headers });
  const bearer = { headers: { authorization: `Bearer ${made.token}` } };
  await expect
    .poll(async () => (await get(hearth.url, '/api/v1/session', bearer)).status)
    .toBe(401);
  const page = await openPage(hearth.url, { token: made.token, settings });
  await page
    .getByText(/has expired/)
    .first()
    .waitFor();
  await page.getByLabel('API token').fill(token);
  await page.keyboard.press('Enter');
  await messageField(page).waitFor();
});

it('explains what a token may not do', async () => {
  const { authorization } = await place.bearer('chat');
  const page = await openPage(hearth.url, { token: authorization.replace('Bearer ', '') });
  const explained = async (part: string, text: RegExp) => {
    await page.goto(`${hearth.url}/${part}`);
    await page.getByText(text).first().waitFor();
  };
  await explained('models', /models:read/);
  await explained('compare', /Comparing needs the permissions chat and models:write/);
  await explained('developer/settings', /needs the permission admin/);
  await explained('developer/requests', /needs the permission/);
  expect(await page.getByRole('button', { name: /Delete|Load|Install/ }).count()).toBe(0);
  await page.goto(`${hearth.url}/chat`);
  await page.getByRole('button', { name: 'Chat settings' }).click();
  await page.getByText('Plugins need the permission plugins.').waitFor();
});

it('folds the reasoning with its time, and names a conversation by the model', async () => {
  const page = await openPage(hearth.url, { token, settings });
  const reasoned = { reasoning: 'First the moon, then the sun.', text: 'Both pull the sea.' };
  await say(page, script(reasoned, { text: '"Moon and sea"' }), 1);
  const reasoning = page.getByRole('button', { name: /^Reason/ });
  expect(await reasoning.getAttribute('aria-expanded')).toBe('false');
  await reasoning.click();
  await answers(page).getByText('First the moon, then the sun.').waitFor();
  await page.waitForURL(/\/chat\/conv_/);
  await conversationList(page)
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Suggest a title' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  await expect.poll(() => title.inputValue()).toBe('Moon and sea');
});

it('shows calls of a real MCP server with arguments, result and error', async () => {
  await allowTools(token, 'get_weather');
  const page = await openPage(hearth.url, {
    token,
    settings: { ...settings, integrations: ['mcp/harbour'] },
  });
  await say(
    page,
    script(
      { calls: [['get_weather', '{"city":"Brest"}']] },
      { calls: [['get_rain', '{}']] },
      { text: 'It is **windy**.' },
    ),
    1,
  );
  const card = page.getByRole('region', { name: 'Called get_weather' });
  await card.getByRole('button').click();
  expect(await card.innerText()).toContain('"city": "Brest"');
  await page
    .getByRole('region', { name: 'Invalid tool call' })
    .getByText(/get_rain/)
    .first()
    .waitFor();
  await answers(page).locator('strong', { hasText: 'windy' }).waitFor();
  await expectAccessible(page);
});

it('switches off a tool of a server', async () => {
  const owner = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
  await allowTools(owner, 'check_tide');
  const page = await openPage(hearth.url, { token: owner, settings });
  await page.getByRole('button', { name: 'Tools', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Tools' });
  await dialog.getByRole('checkbox', { name: 'harbour' }).check();
  await dialog.getByRole('button', { name: /^Tools of harbour/ }).click();
  await dialog.getByRole('checkbox', { name: 'get_weather' }).uncheck();
  await dialog.getByText('4 on').waitFor();
  const titles = dialog.getByText('Tools', { exact: true });
  const widths = titles.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
  expect((await widths).filter((width) => width > 1)).toHaveLength(1);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  const weather = { calls: [['get_weather', '{"city":"Brest"}']] } as const;
  const tide = { calls: [['check_tide', '{"harbour":"Brest"}']] } as const;
  await say(page, script(weather, tide, { text: 'Done.' }), 1);
  await page.getByRole('region', { name: 'Called check_tide' }).waitFor();
  await page.getByRole('region', { name: 'Invalid tool call' }).waitFor();
  expect(await page.getByRole('region', { name: 'Called get_weather' }).count()).toBe(0);
});

it('renders Markdown: code, tables, lists and formulas', async () => {
  const text = [
    '# Result',
    '| a | b |\n|---|--:|\n| 1 | 2 |',
    `\`\`\`js\nconst answer = 42; // ${'yes '.repeat(100)}\n\`\`\``,
    'The area is $\\pi r^2$.',
    '- [x] done',
  ].join('\n\n');
  const page = await openPage(hearth.url, { token, settings, colorScheme: 'dark' });
  await say(page, script({ text }), 1);
  const answer = answers(page);
  await answer.getByRole('cell', { name: '2' }).waitFor();
  await answer.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  await answer.locator('math').waitFor();
  await answer.getByRole('button', { name: 'Copy the code' }).waitFor();
  const isCut = () => answer.locator('pre').evaluate((pre) => pre.scrollWidth > pre.clientWidth);
  expect(await isCut()).toBe(true);
  await answer.getByRole('button', { name: 'Wrap long lines' }).click();
  await answer.getByRole('button', { name: 'Wrap long lines', pressed: true }).waitFor();
  expect(await isCut()).toBe(false);
  const download = page.waitForEvent('download');
  await answer.getByRole('button', { name: 'Download the code' }).click();
  expect((await download).suggestedFilename()).toBe('code.js');
  await expectAccessible(page);
});

it('keeps the output of a hostile model inert', async () => {
  const text = [
    '<script>window.attacked = 1</script>',
    '<img src=x onerror="window.attacked = 2">',
    '[click](javascript:window.attacked=3) [data](data:text/html,x) [fine](https://example.org/)',
    '![pixel](https://tracker.example.org/pixel.png)',
    '$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://tracker.example.org/a.png}$',
    '*a_'.repeat(4000),
    '\u202Eright to left',
    '| a |\n|---|\n| `unclosed | [link](http://[::1 | ![',
    'שלום עולם',
  ].join('\n\n');
  const page = await openPage(hearth.url, { token, settings });
  await say(page, script({ text }), 1);
  const answer = answers(page);
  await answer.getByText('<script>window.attacked = 1</script>').waitFor();
  expect(await page.evaluate(() => (globalThis as { attacked?: number }).attacked)).toBeUndefined();
  expect(await answer.locator('img, script, iframe').count()).toBe(0);
  const links = await answer
    .locator('a')
    .evaluateAll((all) => all.map((each) => [each.getAttribute('href'), each.getAttribute('rel')]));
  expect(links).toEqual([
    ['https://example.org/', 'noopener noreferrer nofollow'],
    ['https://tracker.example.org/pixel.png', 'noopener noreferrer nofollow'],
  ]);
});

it('keeps huge lines and right-to-left text within the page', async () => {
  const answer = ['x'.repeat(300_000), '|a|\n|-|\n|' + 'y'.repeat(5000), 'שלום עולם'].join('\n\n');
  const turn = importedTurn([`${'y'.repeat(500_000)}not shown`], answer);
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await post(hearth.url, '/api/v1/conversations/import', turn, { headers });
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, { token, settings });
  await answers(page).getByText('שלום עולם').waitFor();
  const log = page.getByRole('log');
  expect(await log.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  await page.getByText('9 more characters are not shown.', { exact: false }).waitFor();
});

it('chats without the storage of the browser', async () => {
  const page = await openPage(`${hearth.url}/health`);
  await page.addInitScript(() => {
    for (const area of ['localStorage', 'indexedDB']) {
      Object.defineProperty(globalThis, area, {
        get: () => {
          throw new DOMException('Access is denied.', 'SecurityError');
        },
      });
    }
  });
  await page.goto(hearth.url);
  await page.getByLabel('API token').fill(token);
  await page.keyboard.press('Enter');
  // The suggestions come with the models.
  await page.getByRole('button', { name: 'Who are you?' }).waitFor();
  await say(page, script({ text: 'It works without.' }), 1);
  expect(await answers(page).innerText()).toContain('It works without.');
});

it('shows a message and an answer whose characters have very many marks', async () => {
  const marked = `a${'\u0301'.repeat(90_000)}`;
  const turn = importedTurn([`${marked} asked`], `${marked} answered`);
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await post(hearth.url, '/api/v1/conversations/import', turn, { headers });
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, { token, settings });
  await answers(page).getByText('answered').waitFor();
  const shown = await page.getByRole('log').innerText();
  expect(shown).toContain(`a${'\u0301'.repeat(32)} asked`);
  expect(shown).toContain(`a${'\u0301'.repeat(32)} answered`);
});

it('shows very many blocks as they were written, and that an answer ended at its maximum length', async () => {
  const many = `| a | b |\n|---|---|\n| 1 | 2 |\n\n${'$\\frac{1}{2}$\r\n\r\n'.repeat(5000)}The end`;
  const exported = importedTurn(['Write a lot.'], many);
  const responses = exported.responses.map((response) => ({
    ...response,
    turn: { ...response.turn, stopReason: 'maxPredictedTokensReached' },
  }));
  const headers = { authorization: `Bearer ${token}` };
  const path = '/api/v1/conversations/import';
  const { body } = await post(hearth.url, path, { ...exported, responses }, { headers });
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, { token, settings });
  await answers(page).getByText('The end').waitFor();
  await answers(page).getByText('The answer ended at its maximum length.').waitFor();
  await answers(page).locator('math').first().waitFor();
  expect(await answers(page).getByRole('cell').count()).toBe(2);
  expect(await answers(page).locator('*').count()).toBeLessThan(20_000);
});

it('shows why an answer failed, and answers again', async () => {
  const page = await openPage(hearth.url, { token, settings });
  await send(page, script({ isMalformed: true }));
  expect(await page.getByRole('alert').first().innerText()).not.toBe('');
  await page.getByRole('button', { name: 'Regenerate' }).first().waitFor();
});

it('shows a conversation of 1,000 messages with few elements', async () => {
  const { body } = await post(
    hearth.url,
    '/api/v1/conversations/import',
    importedConversation(500),
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, { token, settings });
  await page.getByText('Answer 500', { exact: false }).first().waitFor();
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000);
  await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0));
  await page.getByText('Question 1', { exact: true }).waitFor();
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000);
});

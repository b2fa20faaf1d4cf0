import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { addHarbour } from '../setup/mcp/harbour.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { answered, answers, messageField, say, send } from './setup/chat.ts';
import { checkLook } from './setup/pictures.ts';

const folder = useTemporaryFolder();
let token: string;
let otherToken: string;

const hearth = useHearth(async (home) => {
  const place = await addHarbour(home, {
    files: { command: process.execPath, args: [officialServer('server-filesystem'), folder.path] },
  });
  const tokenOf = async () => {
    const { authorization } = await place.bearer('chat', 'plugins', 'models:read');
    return authorization.replace('Bearer ', '');
  };
  [token, otherToken] = [await tokenOf(), await tokenOf()];
  const engine = await writeScriptedEngine(home);
  return { flags: ['--auth-required', '--mcp-allow-plugins', `--engine-llama-server=${engine}`] };
});
const { openPage } = useBrowser();

const settings = { model: 'hearth/starter-chat', integrations: ['mcp/files'] };
const script = (...generations: readonly ScriptedGeneration[]) => JSON.stringify(generations);
const done: ScriptedGeneration = { text: 'Done.' };
const write = (name: string): ScriptedGeneration => ({
  calls: [['write_file', JSON.stringify({ path: join(folder.path, name), content: 'Eggs' })]],
});
const content = (name: string) => readFile(join(folder.path, name), 'utf8').catch(() => 'none');
const question = (page: Page) =>
  page.getByRole('region', { name: 'Allow the model to call write_file of files?' });
const choose = (page: Page, name: string) =>
  question(page).getByRole('button', { name, exact: true }).click();
const questionCount = (page: Page) => question(page).count();

it('asks before a call, and makes it once, also after a reload', async () => {
  const page = await openPage(hearth.url, { token, settings });
  await send(page, script(write('a'), done, write('b'), done));
  await question(page).waitFor();
  expect(await question(page).getByRole('alert').innerText()).toContain('write_file');
  await question(page).getByText('it may overwrite or delete something').waitFor();
  expect(await question(page).getByLabel('Arguments').innerText()).toContain('"content": "Eggs"');
  // The user may be writing.
  expect(await messageField(page).evaluate((field) => field === document.activeElement)).toBe(true);
  await expectAccessible(page);
  await checkLook(page, 'approval');
  await page.reload();
  await question(page).waitFor();
  expect(await content('a')).toBe('none');
  await question(page).getByRole('button', { name: 'Allow once' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Called write_file' }).waitFor();
  await answered(page, 1);
  expect(await content('a')).toBe('Eggs');
  expect(await questionCount(page)).toBe(0);

  await send(page, 'Again');
  await choose(page, 'Refuse');
  await answered(page, 2);
  await page.getByRole('region', { name: 'write_file was not allowed' }).waitFor();
  expect(await content('b')).toBe('none');
});

it('follows a choice for the chat in the chat alone', async () => {
  const page = await openPage(hearth.url, { token, settings });
  await send(page, script(write('c'), done, write('d'), done));
  await choose(page, 'Allow in this chat');
  await answered(page, 1);
  await say(page, 'Again', 2);
  expect(await content('d')).toBe('Eggs');
  const other = await openPage(hearth.url, { token, settings });
  await send(other, script(write('e'), done));
  await question(other).waitFor();
  await other.getByRole('button', { name: 'Stop' }).click();
  await answered(other, 1);
  expect(await questionCount(other)).toBe(0);
  expect(await content('e')).toBe('none');
});

it('keeps what is always and never allowed for all tabs of the user, until it is removed', async () => {
  const page = await openPage(hearth.url, { token, settings });
  await send(page, script(write('f'), done));
  await choose(page, 'Always allow');
  await answered(page, 1);
  const other = await openPage(hearth.url, { token, settings });
  await say(other, script(write('g'), done, write('i'), done), 1);
  expect([await content('f'), await content('g')]).toEqual(['Eggs', 'Eggs']);
  const stranger = await openPage(hearth.url, { token: otherToken, settings });
  await send(stranger, script(write('h'), done, write('h'), done));
  await choose(stranger, 'Never allow');
  await answered(stranger, 1);
  await say(stranger, 'Again', 2);
  expect(await answers(stranger).getByText('write_file was not allowed').count()).toBe(2);
  expect(await content('h')).toBe('none');

  await other.getByRole('button', { name: 'Tools, 1 on' }).click();
  const kept = other.getByRole('region', { name: 'Kept choices' });
  await kept.getByText('always', { exact: true }).waitFor();
  await expectAccessible(other);
  await kept.getByRole('button', { name: 'Ask again before calls of write_file of files' }).click();
  await kept.getByText(/No choice is kept/).waitFor();
  await other.keyboard.press('Escape');
  await send(other, 'Again');
  await question(other).waitFor();
});

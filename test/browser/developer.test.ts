import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useBrowser } from './setup/browser.ts';
import { checkLook } from './setup/pictures.ts';

const everything = officialServer('server-everything');
const hearth = useHearth();
const { openPage } = useBrowser();

const ownerToken = async () => (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
const openAsAdmin = async (part: string) =>
  openPage(`${hearth.url}/developer/${part}`, { token: await ownerToken() });

it('explains hearth open without admin, and takes the permission from its link', async () => {
  const page = await openPage(`${hearth.url}/developer/tokens`);
  await page.getByRole('region', { name: 'This part needs the permission admin' }).waitFor();
  await checkLook(page, 'developer-no-admin');
  const headers = { authorization: `Bearer ${await ownerToken()}` };
  const link = await post(hearth.url, '/api/v1/sessions/links', undefined, { headers });
  await page.goto(link.body.url as string);
  await page.waitForURL(/\/chat$/);
  await page.getByRole('link', { name: 'Developer' }).click();
  await page.getByRole('link', { name: 'API tokens' }).click();
  await page.getByRole('button', { name: 'Create a token' }).waitFor();
  await page.goto(link.body.url as string);
  await page.getByText(/Run this command again/).waitFor();
  expect(page.url()).toBe(`${hearth.url}/open`);
});

// covers auth-3
it('creates a token that works, shows it once and revokes it', async () => {
  const page = await openAsAdmin('tokens');
  await page.getByRole('button', { name: 'Create a token' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a token' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Notebook');
  await dialog.getByRole('button', { name: 'Create a token' }).click();
  const token = await dialog.getByLabel('Your new token').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const whoAmI = () =>
    get(hearth.url, '/api/v1/session', { headers: { authorization: `Bearer ${token}` } });
  expect((await whoAmI()).body).toMatchObject({ type: 'token', name: 'Notebook' });
  expect(await page.content()).not.toContain(token);
  await page.getByRole('button', { name: 'Change Notebook' }).click();
  const change = page.getByRole('dialog', { name: 'Change Notebook' });
  await change.getByRole('spinbutton', { name: 'Tokens a day' }).fill('5000');
  await change.getByRole('combobox', { name: 'Priority' }).selectOption('background');
  await change.getByRole('textbox', { name: 'Models' }).fill('hearth/starter-chat, qwen/*');
  await change.getByRole('button', { name: 'Save' }).click();
  await page.getByText('5,000 tokens a day').waitFor();
  await page.getByText('priority: Background: last').waitFor();
  await page.getByText('models: hearth/starter-chat, qwen/*').waitFor();
  await checkLook(page, 'tokens');
  await page.getByRole('button', { name: 'Revoke Notebook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('There are no tokens.').waitFor();
  expect((await whoAmI()).status).toBe(401);
});

it('shows the usage of the last days, by model and by token', async () => {
  const page = await openAsAdmin('usage');
  await page.getByText('No model was used in these days.').waitFor();
  const body = { model: 'hearth/starter-chat', input: 'Hello!', max_output_tokens: 4 };
  await post(hearth.url, '/api/v1/chat', body);
  await page.reload();
  await page.getByRole('row', { name: /^hearth\/starter-chat 1 0 \d+ \d+ 4$/ }).waitFor();
  await page.getByText(/tokens, 1 request$/).waitFor({ state: 'attached' });
  await checkLook(page, 'usage');
  await page.getByLabel('Add up by').selectOption('token');
  await page.getByRole('row', { name: /^Without a token 1 / }).waitFor();
  expect(await page.getByRole('row', { name: /^hearth/ }).count()).toBe(0);
});

it('changes a setting, refuses a wrong value and returns to the default', async () => {
  const page = await openAsAdmin('settings');
  const field = page.getByLabel('models.ttlSeconds', { exact: true });
  await field.fill('0');
  await page.getByText(/It must be a whole number from 1/).waitFor();
  await field.fill('600');
  await page.getByRole('button', { name: 'Save models.ttlSeconds' }).click();
  await page.getByRole('button', { name: 'Use the default of models.ttlSeconds' }).waitFor();
  expect(await readFile(join(hearth.home, 'config.json'), 'utf8')).toContain('600');
  await checkLook(page, 'settings');
  await page.getByRole('button', { name: 'Use the default of models.ttlSeconds' }).click();
  await expect.poll(() => field.inputValue()).toBe('3600');
});

it('edits a setting that is an object as JSON', async () => {
  const page = await openAsAdmin('settings');
  const field = page.getByRole('textbox', { name: 'upstreams', exact: true });
  const save = page.getByRole('button', { name: 'Save upstreams' });
  await field.fill('{"lab": }');
  await page.getByText(/It is not JSON/).waitFor();
  expect(await save.isDisabled()).toBe(true);
  await field.fill('{"lab": {"url": "no address"}}');
  await save.click();
  await page.getByText(/must be an object of servers by name/).waitFor();
  const upstreams = { lab: { url: 'http://127.0.0.1:9/v1', kind: 'vllm' } };
  await field.fill(JSON.stringify(upstreams));
  await save.click();
  await page.getByRole('button', { name: 'Use the default of upstreams' }).waitFor();
  expect(JSON.parse(await field.inputValue())).toMatchObject(upstreams);
  const stored = JSON.parse(await readFile(join(hearth.home, 'config.json'), 'utf8'));
  expect(stored).toMatchObject({ upstreams });
  await page.getByRole('button', { name: 'Use the default of upstreams' }).click();
  await expect.poll(() => field.inputValue()).toBe('{}');
});

it('adds an MCP server, tests it and tries a tool by its form', async () => {
  const page = await openAsAdmin('mcp');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a server' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter the program to run.').waitFor();
  await dialog.getByLabel('Label').fill('all');
  await dialog.getByLabel('Command').fill(process.execPath);
  await dialog.getByLabel('Arguments').fill(`${everything}\nstdio`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Test all' }).click();
  await page.getByRole('button', { name: 'Try echo', exact: true }).click();
  const form = page.getByRole('form', { name: 'Try echo' });
  await form.getByLabel('message', { exact: false }).fill('<b>Hello</b>');
  await form.getByRole('button', { name: 'Call the tool' }).click();
  await form.getByText('Echo: <b>Hello</b>').waitFor();
  expect(await form.locator('b').count()).toBe(0);
  await checkLook(page, 'mcp');
});

it('lists a request as it arrives and inspects it', async () => {
  const page = await openAsAdmin('requests');
  await page.getByText('Live').waitFor();
  const body = { model: 'hearth/starter-chat', input: 'Hello!', max_output_tokens: 4 };
  await expect
    .poll(async () => {
      await post(hearth.url, '/api/v1/chat', body);
      return page.getByRole('button', { name: 'Inspect POST /api/v1/chat' }).count();
    })
    .toBeGreaterThan(0);
  const inspect = page.getByRole('button', { name: /^Inspect / });
  const shown = await inspect.evaluateAll((all) => all.map((each) => each.ariaLabel));
  const reads = /GET \/api\/v1\/(models|status|settings|conversations|requests|downloads|events)/;
  expect(shown.filter((label) => reads.test(label ?? ''))).toEqual([]);
  await checkLook(page, 'requests');
  await page.getByRole('button', { name: 'Inspect POST /api/v1/chat' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Request' });
  await dialog.getByText(`curl -X POST '${hearth.url}/api/v1/chat'`, { exact: false }).waitFor();
  await checkLook(page, 'request');
});

it('names the flag of a setting as the commands do', async () => {
  const page = await openAsAdmin('settings');
  await page.getByText('Set by --port; a value in the file has no effect.').waitFor();
  expect(await page.getByText('--server-port').count()).toBe(0);
});

it('shows no empty list if there is no runtime', async () => {
  const page = await openPage(`${hearth.url}/health`, { token: await ownerToken() });
  // Test machines have a runtime, so the page gets an empty list.
  await page.route('**/api/v1/runtimes', (route) => route.fulfill({ json: { runtimes: [] } }));
  await page.goto(`${hearth.url}/developer/runtimes`);
  await page.getByText('There is no runtime.').waitFor();
  expect(await page.getByRole('list', { name: 'Runtimes' }).count()).toBe(0);
});

it('shows figures and runtimes', async () => {
  const page = await openAsAdmin('overview');
  await page.getByText('Event loop delay').waitFor();
  await checkLook(page, 'overview');
  await page.getByRole('link', { name: 'Runtimes' }).click();
  await page.getByRole('list', { name: 'Runtimes' }).getByText('Active').waitFor();
  await checkLook(page, 'runtimes');
  // The pinned release is a large download; the test server already has the wheel.
  await page.route('**/api/v1/runtimes/install', (route) =>
    route.continue({ postData: JSON.stringify({ from: 'wheel', stream: true }) }),
  );
  await page.getByRole('button', { name: 'Install the recommended one' }).click();
  await page
    .getByText(/^llama\.cpp.* is installed/)
    .first()
    .waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: 'Install the recommended one' }).isEnabled())
    .toBe(true);
});

it('shows the voice script while typing', async () => {
  const page = await openPage(`${hearth.url}/voice`);
  await page.getByRole('button', { name: 'Insert an example' }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('Welcome back! Today we talk about tides.').waitFor();
  expect(await preview.innerText()).toContain('Speaker 2:');
  const colorOf = (speaker: number) =>
    preview
      .getByText(`Speaker ${speaker}:`)
      .first()
      .evaluate((name) => getComputedStyle(name).color);
  const textColor = await preview.evaluate((each) => getComputedStyle(each).color);
  const colors = [textColor, await colorOf(1), await colorOf(2)];
  expect(new Set(colors).size).toBe(3);
  await checkLook(page, 'voice');
  const download = page.waitForEvent('download');
  await preview.getByRole('button', { name: 'Download the script' }).click();
  expect((await download).suggestedFilename()).toBe('script.txt');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await preview.getByRole('button', { name: 'Copy the script' }).click();
  const copied = page.evaluate(() => navigator.clipboard.readText());
  expect(await copied).toContain('Speaker 1: Welcome back! Today we talk about tides.');
  await page.getByLabel('Output').selectOption('plain');
  await expect.poll(() => preview.innerText()).not.toContain('Speaker 2:');
});

it('compares two answers with their figures', async () => {
  const page = await openPage(`${hearth.url}/compare`);
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Name a color.');
  for (const side of ['first', 'second']) {
    await page.getByLabel(`Longest answer in tokens (${side})`).fill('200');
  }
  await page.getByRole('button', { name: 'Compare' }).click();
  for (const side of ['First', 'Second']) {
    const answer = page.getByRole('region', { name: `${side} answer` });
    await answer.getByText('tokens/s', { exact: false }).waitFor();
    expect(await answer.getByText('First token').isVisible()).toBe(true);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const topOf = async (field: string) =>
    (await page.getByLabel(`${field} (first)`).boundingBox())?.y;
  expect(await topOf('Longest answer in tokens')).toBe(await topOf('Temperature'));
  await checkLook(page, 'compare');
});

it('compares one after the other where memory does not suffice for both models', async () => {
  const headers = { authorization: `Bearer ${await ownerToken()}` };
  const loaded = async (): Promise<readonly string[]> => {
    const { body } = await get(hearth.url, '/api/v1/models', { headers });
    return body.models.flatMap(({ loaded_instances: instances }: LoadedModel) =>
      instances.map(({ id }) => id),
    );
  };
  for (const id of await loaded()) {
    await post(hearth.url, '/api/v1/models/unload', { instance_id: id }, { headers });
  }
  const needed = async (model: string): Promise<number> => {
    const body = { model: `hearth/${model}` };
    return (await post(hearth.url, '/api/v1/models/estimate', body, { headers })).body.total_bytes;
  };
  const limit = Math.max(await needed('starter-chat'), await needed('starter-vision')) * 1.5;
  await setMemoryLimit(Math.round(limit));
  const page = await openPage(`${hearth.url}/compare`);
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Name a color.');
  await page.getByLabel('Longest answer in tokens (first)').fill('8');
  await page.getByLabel('Longest answer in tokens (second)').fill('8');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('The models do not fit into memory together', { exact: false }).waitFor();
  for (const side of ['First', 'Second']) {
    const answer = page.getByRole('region', { name: `${side} answer` });
    await answer.getByText('tokens/s', { exact: false }).waitFor();
    expect(await answer.getByText('Load', { exact: true }).isVisible()).toBe(true);
  }
  await expect.poll(loaded).toEqual([]);
  await setMemoryLimit(null);
});

interface LoadedModel {
  readonly loaded_instances: readonly { readonly id: string }[];
}

async function setMemoryLimit(bytes: number | null): Promise<void> {
  const body = JSON.stringify({ 'models.memoryLimitBytes': bytes });
  const headers = {
    authorization: `Bearer ${await ownerToken()}`,
    'content-type': 'application/json',
  };
  const changed = await get(hearth.url, '/api/v1/settings', { method: 'PATCH', headers, body });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readScriptedArguments, writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { startFakeModelScope } from '../setup/hub/fake-modelscope.ts';
import { startFakeRegistry } from '../setup/hub/fake-registry.ts';
import { recordedDevices } from '../setup/machines/recorded-gpus.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { useBrowser } from './setup/browser.ts';
import { checkLook } from './setup/pictures.ts';

const card = `# Tiny chat

A small model for tests.

<script>document.title = 'owned'</script>
<img src="https://tracker.test/pixel.png" onerror="document.title = 'owned'">

![remote](https://tracker.test/picture.png) [bad](javascript:document.title='owned')

| size | use |
| ---- | --- |
| 3 MB | tests |
`;
const filePath = starterPath('chat');
const hub = useResource(async () =>
  startFakeHub({
    repositories: [
      {
        name: 'acme/Tiny-Chat-GGUF',
        files: { 'tiny-chat-Q8_0.gguf': { filePath }, 'README.md': Buffer.from(card) },
      },
    ],
  }),
);
const modelScope = useResource(() =>
  startFakeModelScope([
    { id: 'lab/Owl-GGUF', files: { 'owl-Q8_0.gguf': { filePath } }, license: 'gemma' },
  ]),
);
const registry = useResource(startFakeRegistry);
const hearth = useHearth(() => ({
  environment: {
    HEARTH_HUB_ENDPOINT: hub.url,
    HEARTH_HUB_MIRRORS: JSON.stringify({ modelscope: modelScope.url, ollama: registry.url }),
  },
}));
const { openPage } = useBrowser();

it('greets an empty home with the starter models and downloads that fit', async () => {
  const page = await openPage(hearth.url);
  await page.getByRole('button', { name: /starter-chat/, pressed: true }).waitFor();
  const downloads = page.getByRole('region', { name: 'Three models that fit this machine' });
  await downloads.waitFor();
  expect(await downloads.getByRole('listitem').count()).toBe(3);
  expect(await downloads.getByText('Fits', { exact: true }).count()).toBe(3);
  expect(await downloads.getByText(/about [\d.,]+K? tokens\/s on the CPU/).count()).toBe(3);
  await checkLook(page, 'first-run');
  await page.getByRole('button', { name: 'Choose a model: hearth/starter-chat' }).click();
  await page.getByRole('option', { name: /starter-vision.*needs .* of memory/ }).click();
  await page.getByRole('button', { name: 'Choose a model: hearth/starter-vision' }).waitFor();
});

it('shows the library, loads a model with a chosen context and unloads it', async () => {
  const page = await openPage(`${hearth.url}/models`);
  await page.getByRole('heading', { name: 'Three models that fit this machine' }).waitFor();
  await checkLook(page, 'models');
  await page.getByRole('button', { name: 'Details of starter-chat' }).click();
  const dialog = page.getByRole('dialog', { name: 'starter-chat' });
  await dialog.getByText('Fits', { exact: true }).waitFor();
  const memory = dialog.getByRole('region', { name: 'Memory' });
  await memory.getByText('of').first().waitFor();
  await dialog.getByText('The engine finds no GPU on this machine').waitFor();
  const before = await memory.innerText();
  await dialog.getByRole('slider', { name: 'Context' }).press('Home');
  await expect.poll(() => memory.innerText()).not.toBe(before);
  await dialog.getByText('starter-chat-Q8_0.gguf', { exact: false }).first().waitFor();
  await checkLook(page, 'model');
  await dialog.getByRole('button', { name: 'Load', exact: true }).click();
  await page.getByText('512 tokens of context', { exact: false }).waitFor();
  await page.getByRole('button', { name: /^Unload hearth\/starter-chat/ }).click();
  await page.getByRole('button', { name: 'Load starter-chat' }).waitFor();
});

it('keeps the settings of a model, and adds and deletes a profile', async () => {
  const page = await openPage(`${hearth.url}/models`);
  await page.getByRole('button', { name: 'Details of starter-chat' }).click();
  const dialog = page.getByRole('dialog', { name: 'starter-chat' });
  await dialog.getByRole('button', { name: 'Settings for all requests' }).click();
  await dialog.getByRole('textbox', { name: 'System prompt' }).fill('You are brief.');
  await dialog.getByRole('spinbutton', { name: 'Temperature' }).fill('0.2');
  await dialog.getByRole('textbox', { name: 'Name of the profile' }).fill('coder');
  await checkLook(page, 'model-settings');
  await dialog.getByRole('button', { name: 'Save as profile' }).click();
  await page.getByText('The settings of coder were saved.').waitFor();
  await dialog.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('The settings of hearth/starter-chat were saved.').waitFor();
  const { body } = await get(hearth.url, '/api/v1/model-settings');
  const values = { load: {}, system_prompt: 'You are brief.', temperature: 0.2 };
  expect(body.models).toEqual([
    { model: 'coder', base: 'hearth/starter-chat', ...values },
    { model: 'hearth/starter-chat', ...values },
  ]);
  await page.keyboard.press('Escape');
  const row = page.getByRole('listitem').filter({ hasText: 'Profile of hearth/starter-chat' });
  await row.getByRole('button', { name: 'Delete coder' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The profile coder was deleted.').waitFor();
  await row.waitFor({ state: 'detached' });
});

it('finds a model of ModelScope, with the conditions of its license', async () => {
  modelScope.isRedirecting = false;
  const page = await openPage(`${hearth.url}/models/discover?search=owl`);
  await page.getByRole('combobox', { name: 'Source' }).selectOption('ModelScope');
  const row = page.getByRole('listitem').filter({ hasText: 'modelscope:lab/Owl-GGUF' });
  await row.getByText('License with conditions').waitFor();
  await row.getByRole('link').click();
  await page.getByText('License: gemma').waitFor();
  await page.getByRole('button', { name: 'Download Q8_0' }).click();
  await expect
    .poll(async () => (await get(hearth.url, '/api/v1/models/downloads')).body.downloads)
    .toMatchObject([{ model: 'lab/owl', license: 'gemma' }]);
});

it('downloads a model of a registry by its name, and shows its license', async () => {
  registry.isRedirecting = false;
  registry.addTag('library/gull:1b', [
    { mediaType: 'application/vnd.ollama.image.model', file: { filePath } },
    {
      mediaType: 'application/vnd.ollama.image.license',
      file: Buffer.from('Gemma Terms of Use'),
    },
  ]);
  const page = await openPage(`${hearth.url}/models/discover`);
  const field = page.getByRole('searchbox', { name: 'Search the catalog and the model hub' });
  await field.fill('ollama:gull:1b');
  await field.press('Enter');
  await page.getByRole('button', { name: 'Download ollama:gull:1b' }).click();
  await page.getByText('License: Gemma Terms of Use').first().waitFor();
  const { downloads } = (await get(hearth.url, '/api/v1/models/downloads')).body;
  expect(downloads[0]).toMatchObject({ model: 'library/gull-1b', license_has_conditions: true });
});

it('finds a repository, shows its hostile card, and downloads with pause and resume', async () => {
  const page = await openPage(`${hearth.url}/models/discover`);
  await page
    .getByRole('searchbox', { name: 'Search the catalog and the model hub' })
    .fill('tiny-chat');
  await page.getByRole('search').getByRole('button', { name: 'Search', exact: true }).click();
  const found = page.getByRole('link', { name: 'Model card of acme/Tiny-Chat-GGUF' });
  await found.waitFor();
  await checkLook(page, 'discover');
  await found.click();
  await page.getByRole('heading', { name: 'Tiny chat' }).waitFor();
  const parts = page.getByRole('navigation', { name: 'Parts of this page' });
  expect(await parts.locator('[aria-current=page]').innerText()).toBe('Discover');
  expect(await page.locator('.markdown img, .markdown script').count()).toBe(0);
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
  await checkLook(page, 'model-card');

  hub.faults.add({ kind: 'throttle', bytesPerSecond: 1_000_000, path: '.gguf' });
  const stall = hub.faults.add({ kind: 'stall', afterBytes: 500_000, path: '.gguf' });
  await page.getByRole('button', { name: 'Download Q8_0' }).click();
  const progress = page.getByRole('progressbar');
  await expect
    .poll(async () => Number(await progress.getAttribute('aria-valuenow')), { timeout: 20_000 })
    .toBeGreaterThan(0);
  await page.getByRole('button', { name: /^Pause the download/ }).click();
  await page.getByText(/^Paused/).waitFor();
  await checkLook(page, 'download');
  await page.getByRole('button', { name: /^Cancel the download/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the download' }).click();
  await progress.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Download Q8_0' }).click();
  await page.getByRole('button', { name: /^Pause the download/ }).click();
  await page.getByText(/^Paused/).waitFor();
  hub.faults.clear();
  stall.remove();
  await page.getByRole('button', { name: /^Resume the download/ }).click();
  await progress.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Library' }).click();
  const row = page.getByRole('listitem').filter({ hasText: /acme\/tiny-chat/i });
  await row.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

it('imports a file of this machine for an administrator', async () => {
  const token = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
  const page = await openPage(`${hearth.url}/models/import`, { token });
  const path = page.getByRole('textbox', { name: 'Absolute path' });
  await path.fill('/nowhere-at-all');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page
    .getByText(/nowhere-at-all/)
    .first()
    .waitFor();
  await path.fill(starterPath('embed'));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  expect(await page.getByText(/^Imported: /).innerText()).toMatch(/embed/);
});

it('uploads a model file', async () => {
  const page = await openPage(`${hearth.url}/models/import`);
  await page.getByText('Importing by path needs the permission admin.').waitFor();
  await page.getByLabel('Choose a GGUF file').setInputFiles(filePath);
  await page.getByRole('textbox', { name: 'Name' }).fill('uploaded');
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('local/uploaded is in the library.').waitFor();
  const { status } = await get(hearth.url, '/api/v1/models/local/uploaded');
  expect(status).toBe(200);
  await checkLook(page, 'import');
});

it('gets a model in the list of models, without leaving the chat', async () => {
  const page = await openPage(hearth.url);
  const tiny = { id: 'acme/Tiny-Chat-GGUF', quantization: 'Q8_0', size_bytes: 3_000_000 };
  await page.route('**/api/v1/models/recommended*', (route) =>
    route.fulfill({ json: { models: [tiny], usable_bytes: 1e9, capacity_bytes: 1e9 } }),
  );
  await page.getByRole('button', { name: /^Choose a model/ }).click();
  const offer = page.getByRole('region', { name: 'Get a model' });
  await offer.getByRole('button', { name: 'Download acme/Tiny-Chat-GGUF' }).click();
  await page.getByRole('option', { name: /tiny-chat/i }).waitFor();
  await checkLook(page, 'model-list');
  await page.getByRole('option', { name: /tiny-chat/i }).click();
  const chosen = page.getByRole('button', { name: /^Choose a model: acme\// });
  await expect.poll(() => chosen.count()).toBe(1);
});

describe('on a machine with two GPUs', () => {
  const machine = useHearth(async (home) => ({
    flags: [
      `--engine-llama-server=${await writeScriptedEngine(home, 4096, recordedDevices('twoUnequal'))}`,
    ],
  }));

  it('shows where a model goes, and loads it where the user wants', async () => {
    await post(machine.url, '/api/v1/models/unload', { instance_id: 'hearth/starter-chat' });
    const page = await openPage(`${machine.url}/models`);
    await page.getByRole('button', { name: 'Details of starter-chat' }).click();
    // `exact`, since a notice about the load contains the name, too.
    const dialog = page.getByRole('dialog', { name: 'starter-chat', exact: true });
    const placement = dialog.getByRole('region', { name: 'Placement' });
    await placement.getByText('7 of 7 layers on GPUs').waitFor();
    const gpus = () => placement.getByRole('listitem').allInnerTexts();
    expect(await gpus()).toEqual([
      expect.stringMatching(/^CUDA1: NVIDIA RTX PRO 4000 .*\s7 layers · [\d.]+ MB$/s),
    ]);
    await dialog.getByLabel('Layers on the GPU').fill('5000');
    await dialog.getByRole('alert').getByText('gpu_layers').waitFor();
    await dialog.getByLabel('Layers on the GPU').fill('');
    await dialog.getByLabel('Main GPU').fill('CUDA0');
    await expect.poll(gpus).toEqual([expect.stringContaining('CUDA0: NVIDIA GeForce RTX 3080 Ti')]);
    await dialog.getByLabel('Division among GPUs').selectOption('layer');
    await dialog.getByLabel('Proportions of the GPUs').fill('3,4');
    await expect
      .poll(gpus)
      .toEqual([
        expect.stringMatching(/^CUDA0.*3 layers/s),
        expect.stringMatching(/^CUDA1.*4 layers/s),
      ]);
    await dialog.getByLabel('Type of the context cache').selectOption('q8_0');
    await placement.getByText('Context cache: q8_0').waitFor();
    await checkLook(page, 'placement');
    await page.setViewportSize({ width: 360, height: 740 });
    const isTooWide = () =>
      dialog.evaluate((element) => element.scrollWidth > element.clientWidth + 1);
    expect(await isTooWide()).toBe(false);
    await dialog.getByRole('button', { name: 'Load', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const list = await readScriptedArguments(machine.home);
    const valueOf = (name: string) => list[list.indexOf(name) + 1];
    expect(valueOf('--device')).toBe('CUDA0,CUDA1');
    expect(valueOf('--tensor-split')).toBe('3,4');
    expect(valueOf('--cache-type-k')).toBe('q8_0');
  });
});

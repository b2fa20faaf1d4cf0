import type { Page } from 'playwright-core';
import { answers, send } from '../../setup/chat.ts';
import { button, type EverydayJob } from './everyday-job.ts';

const panel = (page: Page) => page.getByRole('dialog', { name: 'Chat settings' });

/** Jobs with settings, tools, models and devices. */
export const appJobs: readonly EverydayJob[] = [
  {
    name: 'Set the system prompt',
    run: async ({ page }) => {
      await button(page, 'Chat settings').click();
      const field = panel(page).getByLabel('System prompt');
      await field.click();
      await page.keyboard.type('Be brief.');
      await expectValue(page, 'Be brief.');
    },
  },
  {
    name: 'Change the temperature',
    run: async ({ page }) => {
      await button(page, 'Chat settings').click();
      await panel(page).getByLabel('Temperature', { exact: true }).click();
      await page.keyboard.type('0.2');
      await expectValue(page, '0.2');
    },
  },
  {
    name: 'Save a preset',
    run: async ({ page, id }) => {
      await button(page, 'Chat settings').click();
      await panel(page).getByLabel('Name of the preset').click();
      await page.keyboard.type(`Preset ${id}`);
      await button(page, 'Save as preset').click();
      await button(page, 'Update the preset').waitFor();
    },
  },
  {
    name: 'Use a preset',
    run: async ({ page }) => {
      await button(page, /^Choose a model/).click();
      await page.getByRole('option', { name: 'Poet' }).click();
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'Insert a saved prompt',
    run: async ({ page }) => {
      await page.keyboard.type('/gre');
      await page.getByRole('option', { name: /Greet/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Hello!');
    },
  },
  {
    name: 'See the speed and the tokens',
    run: ({ page }) => page.getByRole('list', { name: 'Figures of this answer' }).waitFor(),
  },
  {
    name: 'Turn a tool on or off',
    run: async ({ page }) => {
      await button(page, /^Tools/).click();
      const server = (checked: boolean) =>
        page.getByRole('dialog').getByRole('checkbox', { name: 'harbour', checked });
      await server(true).or(server(false)).waitFor();
      const wasOn = await server(true).isVisible();
      await server(wasOn).click();
      await server(!wasOn).waitFor();
    },
  },
  {
    name: 'Approve a tool call',
    prepare: async ({ page }) => {
      await page.getByRole('link', { name: 'New chat' }).click();
      await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
      const calls = [['get_weather', '{"city":"Brest"}']];
      await send(page, JSON.stringify([{ calls }, { text: 'Done.' }]));
      await button(page, 'Allow once').waitFor();
    },
    run: async ({ page }) => {
      await button(page, 'Allow once').click();
      await page.getByRole('region', { name: 'Called get_weather' }).waitFor();
    },
  },
  {
    name: 'Get a new model',
    prepare: ({ page }) => {
      const tiny = { id: 'acme/Tiny-Chat-GGUF', quantization: 'Q8_0', size_bytes: 3_000_000 };
      return page.route('**/api/v1/models/recommended*', (route) =>
        route.fulfill({ json: { models: [tiny], usable_bytes: 1e9, capacity_bytes: 1e9 } }),
      );
    },
    run: async ({ page }) => {
      await button(page, /^Choose a model/).click();
      await button(page, 'Download acme/Tiny-Chat-GGUF').click();
      await page.getByRole('option', { name: /tiny-chat/i }).waitFor();
    },
  },
  {
    name: 'See which models fit',
    run: async ({ page }) => {
      await page.getByRole('link', { name: 'Models', exact: true }).click();
      await page.getByRole('link', { name: 'Discover', exact: true }).click();
      await page.getByText('Fits', { exact: true }).first().waitFor();
    },
  },
  {
    name: 'Preview SVG, Mermaid or a whole HTML page',
    run: ({ page }) => answers(page).getByRole('img', { name: 'Picture' }).waitFor(),
  },
  {
    name: 'Preview a part of an HTML page, or one with scripts',
    run: async ({ page }) => {
      await button(page, 'Show the preview').click();
      await answers(page).locator('iframe').waitFor();
    },
  },
  {
    name: 'Dictate',
    run: async ({ page }) => {
      await button(page, 'Dictate').click();
      await page.getByRole('status').getByText('Listening…').waitFor();
    },
  },
  {
    name: 'Have an answer read aloud',
    run: async ({ page }) => {
      await button(page, 'Read aloud').click();
      await button(page, 'Stop reading').waitFor();
    },
  },
  {
    name: 'Change the language',
    run: async ({ page }) => {
      await button(page, 'Language').click();
      await page.getByRole('menuitem', { name: 'Deutsch' }).click();
      await page.getByRole('textbox', { name: 'Nachricht' }).waitFor();
    },
  },
  {
    name: 'Change the theme',
    run: async ({ page }) => {
      await button(page, 'Theme').click();
      await page.getByRole('menuitem', { name: 'Dark' }).click();
      await page.locator('html[data-theme=dark]').waitFor();
    },
  },
  {
    name: 'Open on the phone by QR code',
    run: async ({ page }) => {
      await page.getByRole('link', { name: 'Devices' }).click();
      await page.getByRole('list', { name: 'Signed-in devices' }).waitFor();
      await button(page, 'Show the code').click();
      await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    },
  },
  {
    name: 'Sign out another device',
    run: async ({ page }) => {
      await page.getByRole('link', { name: 'Devices' }).click();
      const devices = page.getByRole('list', { name: 'Signed-in devices' }).getByRole('listitem');
      const phone = page.getByRole('button', { name: /^Sign out .+/ }).last();
      await phone.waitFor();
      const count = await devices.count();
      await phone.click();
      await devices.nth(count - 1).waitFor({ state: 'detached' });
    },
  },
];

/** Waits until the field with the focus has a value. */
async function expectValue(page: Page, value: string): Promise<void> {
  await page.waitForFunction(
    (expected) => Reflect.get(document.activeElement ?? {}, 'value') === expected,
    value,
  );
}

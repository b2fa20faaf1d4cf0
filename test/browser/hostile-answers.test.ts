import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { useResource } from '../setup/use-resource.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useBrowser } from './setup/browser.ts';
import { answers, messageField } from './setup/chat.ts';
import { hostileTexts } from './setup/hostile-texts.ts';
import { importedTurn } from './setup/imported-conversation.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

/** A server to which no page may connect. */
const listener = useResource(startListener);

async function startListener() {
  const heard: string[] = [];
  const server: Server = createServer((socket) => {
    heard.push('a connection');
    socket.on('data', (data) => heard.push(data.toString('latin1').split('\r\n')[0] ?? ''));
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { heard, host: `127.0.0.1:${port}`, close: async () => void server.close() };
}

const attacksOf = (kind: string) =>
  (hostileTexts[kind] ?? []).map((text) =>
    text
      .replaceAll('HOSTNAME', listener.host)
      .replaceAll('HOST', `http://${listener.host}`)
      .replaceAll('OWN', hearth.url),
  );

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

/** Shows an answer; returns the page and its forbidden effects. */
async function show(answer: string) {
  const { body } = await post(
    hearth.url,
    '/api/v1/conversations/import',
    importedTurn(['Question'], answer),
  );
  const url = `${hearth.url}/chat/${body.conversation_id}`;
  const page = await openPage(hearth.url);
  const effects: string[] = [];
  page.on('dialog', async (dialog) => {
    effects.push(`dialog ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.context().on('page', (each) => effects.push(`page ${each.url()}`));
  await page.exposeFunction('attacked', (how: unknown) => effects.push(`script ${String(how)}`));
  await page.goto(url);
  await answers(page).first().waitFor();
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) effects.push(`navigation to ${frame.url()}`);
  });
  return { page, effects };
}

/** Checks that the page still reacts to the keyboard, and that there were no forbidden effects. */
async function expectInert(page: Page, effects: readonly string[]): Promise<void> {
  await messageField(page).fill('still here');
  expect(await messageField(page).inputValue()).toBe('still here');
  expect(await page.evaluate(() => ({}) as { polluted?: boolean })).toEqual({});
  expect(effects).toEqual([]);
  expect(listener.heard).toEqual([]);
}

it('has at least 60 attacks', () => {
  expect(Object.values(hostileTexts).flat().length).toBeGreaterThanOrEqual(60);
});

const cases = (...kinds: readonly string[]) =>
  kinds.flatMap((kind) => (hostileTexts[kind] ?? []).map((_, index) => [kind, index] as const));

// covers error-23
it.each(cases('markdown', 'formulas'))('shows %s %i without effect', async (kind, index) => {
  const { page, effects } = await show(`${attacksOf(kind)[index]}\n\nThe end $z$ of it.`);
  // Formulas are set in their order.
  const end = answers(page).locator('p', { hasText: 'The end' }).last();
  await end.locator('.katex').or(end.getByText('$z$')).waitFor();
  const loaded = 'img, script, iframe, object, embed, link, style, form, base, meta';
  expect(await answers(page).locator(loaded).count()).toBe(0);
  await expectInert(page, effects);
});

// covers error-23
it.each(cases('diagrams', 'svg', 'entities'))('draws %s %i without effect', async (kind, index) => {
  const text = attacksOf(kind)[index] ?? '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${text}</svg>`;
  const code = { diagrams: text, entities: text, svg }[kind] ?? '';
  const { page, effects } = await show(fenced(kind === 'diagrams' ? 'mermaid' : 'svg', code));
  await answers(page).locator('.preview-picture img, .preview-note').waitFor();
  await expectInert(page, effects);
});

// covers error-23
it.each(cases('pages'))('previews %s %i without effect', async (kind, index) => {
  const { page, effects } = await show(fenced('html', attacksOf(kind)[index] ?? ''));
  await answers(page).getByRole('button', { name: 'Show the preview' }).click();
  await answers(page).locator('iframe[aria-busy=false]').waitFor();
  await expectInert(page, effects);
});

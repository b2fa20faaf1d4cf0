import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import { post } from '../../setup/server/api.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useBrowser } from '../setup/browser.ts';
import { answers, conversationList, messageField } from '../setup/chat.ts';
import { expectFigures } from '../setup/expect-figures.ts';
import { importedConversation, importedTurn } from '../setup/imported-conversation.ts';

const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const { openPage, version } = useBrowser();

const text = 'The **tide** rises twice a day, `since` the moon pulls the sea.\n\n'.repeat(400);
const isImported = (body: object) => post(hearth.url, '/api/v1/conversations/import', body);

/** CSS selectors: a search by roles would itself keep the page busy, since it has 5,000 rows. */
const popups = [
  ['button[aria-label^="Choose a model"]', '[role=listbox]'],
  ['button[aria-label="Chat settings"]', '[role=dialog]'],
  ['button[aria-label="Actions for Chat 4999"]', '[role=menu]'],
] as const;
const field = 'textarea[aria-label="Message"]';

/** Milliseconds from each interaction to the next paint, as Chromium reports them. */
async function watchInteractions(page: Page): Promise<() => Promise<readonly number[]>> {
  await page.evaluate(() => {
    // TypeScript does not know the threshold.
    const eventsOver16ms: PerformanceObserverInit & { durationThreshold: number } = {
      type: 'event',
      durationThreshold: 16,
      buffered: true,
    };
    const durations: number[] = [];
    Object.assign(globalThis, { durations });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (Reflect.get(entry, 'interactionId') !== 0) durations.push(entry.duration);
      }
    }).observe(eventsOver16ms);
  });
  return () => page.evaluate(() => Reflect.get(globalThis, 'durations') as number[]);
}

it('interactions in a chat of 500 messages, beside 5,000 chats, during a stream', async () => {
  for (let start = 0; start < 5000; start += 20) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, step) => {
        const title = `Chat ${start + step}`;
        const { status } = await isImported({ ...importedTurn([title], 'Hi.'), title });
        expect(status).toBe(200);
      }),
    );
  }
  const { body } = await isImported(importedConversation(250));
  const page = await openPage(`${hearth.url}/chat/${body.conversation_id}`, {
    settings: { model: 'hearth/starter-chat' },
  });
  await page.getByText('Answer 250', { exact: false }).first().waitFor();
  const more = conversationList(page).getByRole('button', { name: 'Show more' });
  const rows = () => page.locator('a[href^="/chat/conv_"]').count();
  while ((await more.count()) > 0) {
    const before = await rows();
    await more.click();
    await expect.poll(rows).toBeGreaterThan(before);
  }
  expect(await rows()).toBeGreaterThan(4900);
  await messageField(page).fill(JSON.stringify([{ text, tokensPerSecond: 200 }]));
  const read = await watchInteractions(page);
  await messageField(page).press('Enter');
  await answers(page).last().locator('.markdown > *').nth(2).waitFor();
  for (let round = 0; round < 3; round += 1) {
    await page.locator(field).pressSequentially('How high is the tide?');
    for (const [button, popup] of popups) {
      await page.locator(button).click();
      await page.locator(popup).waitFor();
      await page.keyboard.press('Escape');
      await page.locator(popup).waitFor({ state: 'detached' });
    }
  }
  const durations = await read();
  expect(durations.length).toBeGreaterThan(20);
  expect(await page.getByRole('button', { name: 'Stop the answer' }).count()).toBe(1);
  await expectFigures(version(), [
    {
      name: 'longest interaction to next paint: 500 messages, 5,000 chats, 200 tokens/s',
      unit: 'ms',
      values: [Math.max(...durations)],
      atMost: 200,
    },
  ]);
});

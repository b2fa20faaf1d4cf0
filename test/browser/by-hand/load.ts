import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import { post } from '../../setup/server/api.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useBrowser } from '../setup/browser.ts';
import { answered, answers, send } from '../setup/chat.ts';
import { importedConversation } from '../setup/imported-conversation.ts';

const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const { openPage } = useBrowser();
const settings = { model: 'hearth/starter-chat' };

const paragraph =
  'The **tide** rises twice a day, `since` the moon pulls the sea; see the [table](https://example.org/).\n\n' +
  '- one step to the harbour\n- another step to the _pier_\n\n';

/** Seconds that the main thread works and that pass, until a task ends. */
async function busyDuring(page: Page, task: () => Promise<unknown>) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const seconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
    return { task: of('TaskDuration'), script: of('ScriptDuration'), wall: of('Timestamp') };
  };
  const before = await seconds();
  await task();
  const after = await seconds();
  const wall = after.wall - before.wall;
  return {
    seconds: wall,
    busy: (after.task - before.task) / wall,
    scripts: (after.script - before.script) / wall,
  };
}

it.each([1000])('a stream of %i tokens a second', async (tokensPerSecond) => {
  const page = await openPage(hearth.url, { settings });
  const text = paragraph.repeat(400);
  await send(page, JSON.stringify([{ text, tokensPerSecond }]));
  await answers(page).getByText('The tide').first().waitFor();
  const load = await busyDuring(page, () => answered(page, 1));
  console.log(`${tokensPerSecond} tokens/s, ${text.length} characters:`, load);
  expect(load.busy).toBeLessThan(0.5);
});

it('a code block of 1,000 tokens a second', async () => {
  const page = await openPage(hearth.url, { settings });
  const text = `\`\`\`ts\n${'const tide = rise(moon, sea); // twice a day\n'.repeat(800)}\`\`\``;
  await send(page, JSON.stringify([{ text, tokensPerSecond: 1000 }]));
  await answers(page).locator('code').first().waitFor();
  const load = await busyDuring(page, () => answered(page, 1));
  console.log('code:', load);
  expect(load.busy).toBeLessThan(0.5);
});

it('scrolling 1,000 messages', async () => {
  const body = importedConversation(500);
  const imported = await post(hearth.url, '/api/v1/conversations/import', body);
  const page = await openPage(`${hearth.url}/chat/${imported.body.conversation_id}`, { settings });
  await page.getByText('Answer 500', { exact: false }).first().waitFor();
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { longTasks: seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(duration);
    }).observe({ type: 'longtask' });
  });
  let elements = 0;
  await page.getByRole('log').hover();
  const load = await busyDuring(page, async () => {
    for (let step = 0; step < 150; step += 1) {
      await page.mouse.wheel(0, -900);
      elements = Math.max(
        elements,
        await page.evaluate(() => document.querySelectorAll('*').length),
      );
    }
  });
  const longTasks = await page.evaluate(
    () => (globalThis as unknown as { longTasks: number[] }).longTasks,
  );
  console.log('scrolling:', { ...load, elements, longTasks });
  expect(elements).toBeLessThan(3000);
  expect(longTasks).toEqual([]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import { projectFolder } from '../../setup/project-folder.ts';
import { post } from '../../setup/server/api.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useBrowser } from '../setup/browser.ts';
import { answered, answers, conversationList, send } from '../setup/chat.ts';
import { importedConversation, importedTurn } from '../setup/imported-conversation.ts';
import { expectFigures } from '../setup/expect-figures.ts';

const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const { openPage, version } = useBrowser();
const settings = { model: 'hearth/starter-chat' };
const rounds = 5;

const paragraph =
  'The **tide** rises twice a day, `since` the moon pulls the sea; see the [table](https://example.org/).\n\n' +
  '- one step to the harbour\n- another step to the _pier_\n\n';
const code = `\`\`\`ts\n${'const tide = rise(moon, sea); // twice a day\n'.repeat(800)}\`\`\``;

/** Percentage of time during which the main thread is busy, until a task ends. */
async function busyDuring(page: Page, task: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const seconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
    return { task: of('TaskDuration'), wall: of('Timestamp') };
  };
  const before = await seconds();
  await task();
  const after = await seconds();
  return (100 * (after.task - before.task)) / (after.wall - before.wall);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * CPU time of the longest task on the main thread, in milliseconds. Unlike elapsed time, it does not grow when the
 * machine is busy.
 */
async function longestTaskDuring(page: Page, task: () => Promise<unknown>): Promise<number> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error('The page has no browser.');
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  const includedCategories = ['toplevel', '__metadata'];
  await session.send('Tracing.start', { traceConfig: { includedCategories } });
  await task();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(events.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf));
  const tasks = events.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && main.has(threadOf(event)),
  );
  expect(tasks.length).toBeGreaterThan(100);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

it('scripts of the first load', async () => {
  const folder = join(projectFolder, 'dist/web/assets');
  const html = await readFile(join(folder, '../index.html'), 'utf8');
  const names = new Set<string>();
  const add = async (name: string): Promise<void> => {
    if (names.has(name)) return;
    names.add(name);
    const script = await readFile(join(folder, name), 'utf8');
    for (const [, imported = ''] of script.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) {
      await add(imported);
    }
  };
  await add(/assets\/(index-[\w-]+\.js)/.exec(html)?.[1] ?? '');
  const sizes = await Promise.all(
    [...names].map(async (name) => {
      const { length } = gzipSync(await readFile(join(folder, name)));
      return { name: name.replace(/-[\w-]{8}\.js$/, '.js'), kilobytes: length / 1000 };
    }),
  );
  const large = sizes.filter(({ kilobytes }) => kilobytes >= 5);
  const total = sizes.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
  await expectFigures(version(), [
    {
      name: `scripts of the first load (${sizes.length} files, gzip)`,
      unit: 'KB',
      values: [total],
      atMost: 200,
    },
    ...large.map(({ name, kilobytes }) => ({
      name: `of these ${name}`,
      unit: 'KB',
      values: [kilobytes],
    })),
  ]);
});

it('time until the first message can be written', async () => {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await openPage(`${hearth.url}/health`, { settings });
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('textarea:enabled') === null) return;
        observer.disconnect();
        setTimeout(() => performance.mark('interactive'));
      }).observe(document, { subtree: true, childList: true });
    });
    await page.goto(hearth.url);
    const mark = await page.waitForFunction(
      () => performance.getEntriesByName('interactive')[0]?.startTime,
    );
    values.push(Math.round((await mark.jsonValue()) ?? Number.NaN));
    await page.context().close();
  }
  await expectFigures(version(), [{ name: 'interactive after', unit: 'ms', values, atMost: 1000 }]);
});

it.each([
  ['of Markdown', paragraph.repeat(400)],
  ['of a block of code', code],
])('a stream of 1,000 tokens a second %s', async (kind, text) => {
  const values: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const page = await openPage(hearth.url, { settings });
    await send(page, JSON.stringify([{ text, tokensPerSecond: 1000 }]));
    await answers(page).locator('.markdown > *').first().waitFor();
    values.push(await busyDuring(page, () => answered(page, 1)));
    await page.context().close();
  }
  await expectFigures(version(), [
    {
      name: `main thread busy: 1,000 tokens/s ${kind}`,
      unit: '%',
      values: values.map(rounded),
      atMost: 50,
    },
  ]);
});

it('5,000 conversations', async () => {
  const words = ['tide', 'harbour', 'wheat', 'barley', 'parrot', 'lantern', 'meadow', 'granite'];
  const textOf = (index: number) =>
    Array.from({ length: 60 }, (_, step) => words[(index * 7 + step * step) % 8]).join(' ');
  for (let start = 0; start < 5000; start += 20) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, step) => {
        const index = start + step;
        const text = `${textOf(index)} number${index}`;
        const body = { ...importedTurn([text], textOf(index + 3)), title: `Chat ${index}` };
        const { status } = await post(hearth.url, '/api/v1/conversations/import', body);
        expect(status).toBe(200);
      }),
    );
  }
  const page = await openPage(`${hearth.url}/health`, { settings });
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelectorAll('a[href^="/chat/conv_"]').length < 30) return;
      observer.disconnect();
      requestAnimationFrame(() =>
        setTimeout(() => {
          performance.mark('listed');
          console.info('listed');
        }),
      );
    }).observe(document, { subtree: true, childList: true });
  });
  const listed: number[] = [];
  const found: number[] = [];
  const common: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // A Playwright locator would run scripts in the page while it renders.
    const isListed = page.waitForEvent('console', (message) => message.text() === 'listed');
    await page.goto(hearth.url);
    await isListed;
    listed.push(await timeOfList(page));
    found.push(await timeOfSearch(page, `number${1234 + round}`, `Chat ${1234 + round}`));
    common.push(await timeOfSearch(page, `${words[round]}`, 'Chat'));
  }
  await expectFigures(version(), [
    { name: '5,000 conversations: list', unit: 'ms', values: listed, atMost: 100 },
    { name: '5,000 conversations: search of a rare word', unit: 'ms', values: found, atMost: 100 },
    {
      name: '5,000 conversations: search of a word in all',
      unit: 'ms',
      values: common,
      atMost: 100,
    },
  ]);
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
  const scroll = async () => {
    for (let step = 0; step < 200; step += 1) {
      await page.mouse.wheel(0, step < 100 ? -900 : 900);
      const count = await page.evaluate(() => document.querySelectorAll('*').length);
      elements = Math.max(elements, count);
    }
  };
  const longTasks: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    busy.push(rounded(await busyDuring(page, scroll)));
    const seen = await page.evaluate(() =>
      (globalThis as unknown as { longTasks: number[] }).longTasks.splice(0),
    );
    longTasks.push(seen.length);
  }
  const longestMs = await longestTaskDuring(page, scroll);
  await expectFigures(version(), [
    {
      name: 'tasks over 50 ms while scrolling 1,000 messages, beside 5,000 conversations',
      unit: 'tasks',
      values: longTasks,
      atMost: 0,
    },
    {
      name: 'processor time of the longest task meanwhile',
      unit: 'ms',
      values: [rounded(longestMs)],
      atMost: 50,
    },
    { name: 'elements meanwhile', unit: 'elements', values: [elements], atMost: 3000 },
    { name: 'main thread busy meanwhile', unit: '%', values: busy },
  ]);
});

/** Milliseconds from the request of the list until the frame that shows it. */
async function timeOfList(page: Page): Promise<number> {
  const mark = await page.waitForFunction(() => {
    const request = performance
      .getEntriesByType('resource')
      .find(({ name }) => name.includes('/api/v1/conversations?'));
    const shown = performance.getEntriesByName('listed')[0];
    return shown && request && shown.startTime - request.startTime;
  });
  return rounded((await mark.jsonValue()) ?? Number.NaN);
}

/** Milliseconds from the input of a search until the frame that shows its result. */
async function timeOfSearch(page: Page, words: string, title: string): Promise<number> {
  const field = conversationList(page).getByRole('searchbox');
  const milliseconds = await field.evaluate(
    (input: HTMLInputElement, [text, wanted]) =>
      new Promise<number>((resolve) => {
        const start = performance.now();
        const observer = new MutationObserver(() => {
          const results = document.querySelector('section[aria-label="Results"]');
          const marked = results?.querySelector('mark')?.textContent;
          if (marked !== text || results?.textContent?.includes(wanted) !== true) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
        });
        observer.observe(document, { subtree: true, childList: true, characterData: true });
        // React reads the value through the setter of the element's class.
        const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        value?.set?.call(input, text);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }),
    [words, title] as const,
  );
  return rounded(milliseconds);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

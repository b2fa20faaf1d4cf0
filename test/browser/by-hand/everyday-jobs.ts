import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import { starterPath } from '../../setup/engine/test-engines.ts';
import { startFakeHub } from '../../setup/hub/fake-hub.ts';
import { addHarbour } from '../../setup/mcp/harbour.ts';
import { projectFolder } from '../../setup/project-folder.ts';
import { post } from '../../setup/server/api.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { useResource } from '../../setup/use-resource.ts';
import { appJobs } from './jobs/app-jobs.ts';
import { chatJobs } from './jobs/chat-jobs.ts';
import type { EverydayJob, OpenChat } from './jobs/everyday-job.ts';
import { listJobs } from './jobs/list-jobs.ts';
import { useBrowser } from '../setup/browser.ts';
import { answered, messageField } from '../setup/chat.ts';
import { importedTurn } from '../setup/imported-conversation.ts';
import { addSpeech } from '../setup/speech.ts';

const jobs = [...chatJobs, ...listJobs, ...appJobs];
const file = join(projectFolder, 'docs/contributing/everyday-jobs.md');
/** With `HEARTH_JOBS=write`, the columns of Hearth are written instead of checked. */
const isWriting = process.env['HEARTH_JOBS'] === 'write';

const filePath = starterPath('chat');
const hub = useResource(() =>
  startFakeHub({
    repositories: [{ name: 'acme/Tiny-Chat-GGUF', files: { 'tiny-chat-Q8_0.gguf': { filePath } } }],
  }),
);
const hearth = useHearth(async (home) => {
  await addHarbour(home);
  const engine = await writeScriptedEngine(home, 8192);
  const flags = ['--auth-required', '--bind', '0.0.0.0', '--mcp-allow-plugins'];
  return {
    environment: { HEARTH_HUB_ENDPOINT: hub.url },
    flags: [...flags, `--engine-llama-server=${engine}`],
  };
});
const { openPage } = useBrowser();

const answer = [
  'The tide rises twice a day.',
  '```svg\n<svg viewBox="0 0 40 20"><rect width="40" height="20" fill="teal"/></svg>\n```',
  '```html\n<h1>Tides</h1>\n```',
].join('\n\n');

interface Effort {
  readonly clicks: number;
  readonly isTyped: boolean;
  readonly seconds: number;
}

/** Counts trusted clicks and keys in the page, also over a reload, and keeps the time of the first one. */
function countInput(): void {
  if (window !== window.top) return;
  const note = (change: object) => {
    const now = JSON.parse(sessionStorage.getItem('effort') ?? '{"clicks":0}');
    const effort = { start: Date.now(), ...now, ...change };
    sessionStorage.setItem('effort', JSON.stringify(effort));
  };
  const read = () => JSON.parse(sessionStorage.getItem('effort') ?? '{"clicks":0}');
  const options = { capture: true };
  addEventListener('pointerdown', () => note({ clicks: read().clicks + 1 }), options);
  addEventListener('keydown', () => note({ isTyped: true }), options);
  addEventListener('paste', () => note({ isTyped: true }), options);
}

async function measure({ prepare, run }: EverydayJob, chat: OpenChat): Promise<Effort> {
  const { page } = chat;
  await prepare?.(chat);
  await messageField(page).focus();
  await page.evaluate(() => sessionStorage.removeItem('effort'));
  await run(chat);
  return page.evaluate(() => {
    const effort = JSON.parse(sessionStorage.getItem('effort') ?? '{"clicks":0}');
    const { clicks, isTyped = false, start = Date.now() } = effort;
    return { clicks, isTyped, seconds: (Date.now() - start) / 1000 };
  });
}

/** The cells of the table's rows, in which the second column names the job. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, number = '']) => /^\d+( ★)?$/.test(number));
}

const clicksOf = (cell: string | undefined) => Number(/^\d+/.exec(cell ?? '')?.[0] ?? Number.NaN);
const efforts = new Map<string, Effort>();
let count = 0;

/** Opens a chat with an answer, on a device with its own session. */
async function openChat(): Promise<OpenChat> {
  count += 1;
  const title = `Tides ${count}`;
  const headers = await asOwner();
  const exported = { ...importedTurn(['When is high water?'], answer), title };
  const { body } = await post(hearth.url, '/api/v1/conversations/import', exported, { headers });
  const { body: link } = await post(hearth.url, '/api/v1/sessions/links', undefined, { headers });
  const page = await openPage(link.url, {
    settings: { model: 'hearth/starter-chat', integrations: ['mcp/harbour'] },
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await messageField(page).waitFor();
  await page.addInitScript(countInput);
  await page.goto(`${hearth.url}/chat/${body.conversation_id}`);
  await addSpeech(page);
  await answered(page, 1);
  await page.getByRole('link', { name: title, exact: true }).waitFor();
  return { page, title, id: count };
}

async function asOwner() {
  const token = await readFile(join(hearth.home, 'owner-token'), 'utf8');
  return { authorization: `Bearer ${token.trim()}` };
}

beforeAll(async () => {
  const headers = await asOwner();
  const put = (path: string, body: object) =>
    post(hearth.url, `/api/v1/${path}`, body, { headers, method: 'PUT' });
  await put('presets/Poet', { temperature: 0.3 });
  await put('prompts/Greet', { text: 'Hello!' });
  await post(hearth.url, '/api/v1/projects', { name: 'Sailing' }, { headers });
});

/** A busy machine may lose a click, since no person would be as fast. */
const retry = 3;

it.each(jobs)('$name', { retry }, async (job) => {
  const effort = await measure(job, await openChat());
  expect(effort.clicks).toBeLessThan(10);
  efforts.set(job.name, effort);
});

it('takes the clicks that the table says', async () => {
  const cellsOf = ({ clicks, isTyped, seconds }: Effort) => [
    `${clicks}${isTyped ? '+T' : ''}`,
    seconds.toFixed(1),
  ];
  const text = await readFile(file, 'utf8');
  if (isWriting) {
    const lines = text.split('\n').map((line) => {
      const [first = '', number = '', name = '', , , ...others] = line.split('|');
      const effort = efforts.get(name.trim());
      if (effort === undefined) return line;
      return [first, number, name, ...cellsOf(effort).map((cell) => ` ${cell} `), ...others].join(
        '|',
      );
    });
    await writeFile(file, lines.join('\n'));
  }
  const rows = rowsOf(await readFile(file, 'utf8'));
  const counted = jobs.map(({ name }) => [name, cellsOf(efforts.get(name) as Effort)[0]]);
  expect(rows.map(([, , name, clicks]) => [name, clicks])).toEqual(counted);
  const common = rows.filter(([, number]) => number?.endsWith('★'));
  expect(common).toHaveLength(10);
  for (const [, , name, own, , ...others] of common) {
    const best = Math.min(...others.map(clicksOf).filter((clicks) => !Number.isNaN(clicks)));
    expect(clicksOf(own), name).toBeLessThanOrEqual(best);
  }
});

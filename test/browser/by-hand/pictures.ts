import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../../setup/engine/scripted-engine.ts';
import { addHarbour } from '../../setup/mcp/harbour.ts';
import { post } from '../../setup/server/api.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { pictureFolder, useBrowser } from '../setup/browser.ts';
import { answered, answers, messageField } from '../setup/chat.ts';
import { importedTurn } from '../setup/imported-conversation.ts';
import { checkLook } from '../setup/pictures.ts';

if (pictureFolder === undefined) throw new Error('HEARTH_PICTURES names no folder.');
const folder = pictureFolder;
let token: string;
const hearth = useHearth(async (home) => {
  const place = await addHarbour(home);
  const { authorization } = await place.bearer('chat', 'plugins', 'models:read', 'models:write');
  token = authorization.replace('Bearer ', '');
  const program = await writeScriptedEngine(home, 8192);
  return { flags: ['--mcp-allow-plugins', `--engine-llama-server=${program}`] };
});
const { openPage } = useBrowser();

const question = 'How does the sea level change over a day, and can you compute it?';
const answer = `The tide is close to a **sine wave** with a period of 12 hours and 25 minutes:

$$h(t) = h_0 + A \\cos\\left(\\frac{2\\pi t}{T} - \\varphi\\right)$$

| Time  | Height | Phase      |
| ----- | -----: | ---------- |
| 03:10 |  5.8 m | high water |
| 09:24 |  1.1 m | low water  |

\`\`\`python
from math import cos, tau

def height(hours, mean=3.5, amplitude=2.4, period=12.42):
    return mean + amplitude * cos(tau * hours / period)
\`\`\`

Three hours after high water it is \`height(3)\`, about 3.6 m.`;

it('takes pictures of the chat page', async () => {
  const titles = [
    'Tides and a formula',
    'Recipe with eggs',
    'Names for a boat',
    'Review of an SQL query',
    'Packing list for Brittany',
    'Letter to the harbour master',
  ];
  const headers = { authorization: `Bearer ${token}` };
  let id = '';
  for (const title of titles.toReversed()) {
    const conversation = { ...importedTurn([question], answer), title };
    const { body } = await post(hearth.url, '/api/v1/conversations/import', conversation, {
      headers,
    });
    id = body.conversation_id;
  }
  const page = await openPage(`${hearth.url}/chat/${id}`, { token });
  await answers(page).locator('.hljs-keyword').first().waitFor();
  await answers(page).locator('math').first().waitFor();
  await answers(page).getByRole('table').waitFor();
  await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0));
  expect(await answers(page).count()).toBe(1);
  await checkLook(page, 'chat');
});

it('records a chat, a branch and a call of a tool', async () => {
  const page = await openPage(hearth.url, {
    token,
    settings: { model: 'hearth/starter-chat', integrations: ['mcp/harbour'] },
    viewport: { width: 960, height: 600 },
  });
  const frames: { readonly data: Buffer; readonly atMs: number }[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
    frames.push({ data: Buffer.from(data, 'base64'), atMs: (metadata.timestamp ?? 0) * 1000 });
    void session.send('Page.screencastFrameAck', { sessionId });
  });
  const scripts = new Map([
    [
      'What is the weather in Brest?',
      [
        { calls: [['get_weather', '{"city":"Brest"}']] },
        { text: 'In **Brest** it is windy, so keep the sails small today.', tokensPerSecond: 12 },
      ],
    ],
    ['Explain the tides in short.', [{ text: answer, tokensPerSecond: 60 }]],
    [
      'Explain the tides to a child.',
      [
        {
          text: 'The moon pulls the sea a little, as if it were on a string. Where it pulls, the water stands high; a few hours later it is low again.',
          tokensPerSecond: 25,
        },
      ],
    ],
  ]);
  await page.route('**/api/v1/chat', async (route) => {
    const body = route.request().postDataJSON() as { input: string };
    const script = scripts.get(body.input);
    await route.continue({
      postData: JSON.stringify({ ...body, system_prompt: JSON.stringify(script) }),
    });
  });
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 4 });
  const write = async (text: string, count: number) => {
    await messageField(page).pressSequentially(text, { delay: 25 });
    await page.waitForTimeout(300);
    await messageField(page).press('Enter');
    await answered(page, count);
    await page.waitForTimeout(1200);
  };
  await write('What is the weather in Brest?', 1);
  const card = page.getByRole('region', { name: 'Called get_weather' });
  await card.getByRole('button').click();
  await page.waitForTimeout(1500);
  await card.getByRole('button').click();
  await write('Explain the tides in short.', 2);
  await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
  const field = page.getByRole('textbox', { name: 'Edit', exact: true });
  await field.fill('Explain the tides to a child.');
  await page.waitForTimeout(900);
  await page.keyboard.press('Enter');
  await answered(page, 2);
  await page.waitForTimeout(1200);
  const branches = page.getByRole('group', { name: 'Branches' });
  await branches.getByRole('button', { name: 'Previous branch' }).click();
  await page.waitForTimeout(1500);
  await page.getByRole('button', { name: 'Show all branches' }).click();
  const tree = page.getByRole('dialog', { name: 'Branches' });
  await tree.getByRole('button', { name: /to a child/ }).hover();
  await page.waitForTimeout(1800);
  await tree.getByRole('button', { name: /to a child/ }).click();
  await page.waitForTimeout(1500);
  await session.send('Page.stopScreencast');
  // Every fourth frame may leave out the last one.
  frames.push({ data: await page.screenshot(), atMs: Date.now() });
  const recording = await animate(frames);
  expect(recording.length).toBeLessThan(2_000_000);
  await writeFile(join(folder, 'chat.webp'), recording);
}, 120_000);

/** An animated WebP of frames at least 120 ms apart. */
async function animate(
  frames: readonly { readonly data: Buffer; readonly atMs: number }[],
): Promise<Buffer> {
  const kept = frames.filter(({ atMs }, index) => {
    const next = frames[index + 1];
    return next === undefined || Math.floor(atMs / 120) !== Math.floor(next.atMs / 120);
  });
  const delay = kept.map(({ atMs }, index) =>
    Math.round(Math.min(2000, (kept[index + 1]?.atMs ?? atMs + 2000) - atMs)),
  );
  const images = kept.map(({ data }) => data);
  return sharp(images, { join: { animated: true } })
    .webp({ quality: 60, effort: 4, delay, loop: 0 })
    .toBuffer();
}

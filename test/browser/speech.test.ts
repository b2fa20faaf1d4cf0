import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { durationSeconds, readWav } from '../../src/kernel/wav.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { speakWithEspeak, startSpeechServer } from '../setup/speech/speech-server.ts';
import { useResource } from '../setup/use-resource.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { messageField, say } from './setup/chat.ts';
import { checkLook } from './setup/pictures.ts';
import { addSpeech } from './setup/speech.ts';

const hearth = useHearth();
const { openPage } = useBrowser();
const short = { model: 'hearth/starter-chat', reasoning: 'off', temperature: 0 };

it('dictates on this machine, and reads an answer aloud with a local voice', async () => {
  const page = await openPage(hearth.url, { settings: short });
  await messageField(page).waitFor();
  expect(await page.getByRole('button', { name: 'Dictate' }).count()).toBe(0);
  await addSpeech(page);
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByRole('status').getByText('Listening…').waitFor();
  await expectAccessible(page);
  expect(await messageField(page).inputValue()).toBe('Hello');
  await page.getByRole('button', { name: 'Stop dictating' }).click();
  await page.getByRole('button', { name: 'Dictate' }).waitFor();

  await say(page, 'What is the capital of France?', 1);
  await page.getByRole('button', { name: 'Read aloud' }).click();
  await page.getByRole('button', { name: 'Stop reading' }).click();
  const spoken = await page.evaluate(() => Reflect.get(globalThis, 'spoken') as string[]);
  expect(spoken).toEqual(['near: The capital of France is Paris.', 'stopped']);
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
});

it('says what to set to speak scripts', async () => {
  const page = await openPage(`${hearth.url}/voice`);
  await page.getByText('To speak scripts here, add a text-to-speech server').waitFor();
  expect(await page.getByRole('button', { name: 'Speak' }).count()).toBe(0);
});

describe('with a text-to-speech server', () => {
  const voices = useResource(() => startSpeechServer(speakWithEspeak));
  const own = useHearth(() => ({
    flags: [
      `--upstreams=${JSON.stringify({ voice: { url: `${voices.url}/v1`, speech: 'espeak' } })}`,
    ],
  }));

  // covers script-17
  it('speaks a script with progress, plays it and offers the file', async () => {
    const page = await openPage(`${own.url}/voice`);
    const script = page.getByRole('textbox', { name: 'Text' });
    await script.fill('Speaker 1: The sea is calm. \u{1F30A}\nSpeaker 2: The sky is blue.');
    await page.getByRole('combobox', { name: 'Emotion of speaker 2' }).selectOption('Calm');
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('1.5×');
    await page.getByRole('button', { name: 'Speak' }).click();
    const save = page.getByRole('button', { name: /^Download \(/ });
    await save.waitFor();
    const sent = voices.requests.map(({ body }) => JSON.parse(body) as object);
    expect(sent).toMatchObject([
      { input: 'The sea is calm.', voice: 'alloy', model: 'espeak', speed: 1.5 },
      { input: 'The sky is blue.', voice: 'echo', instructions: 'Tone: calm.' },
    ]);
    const player = page.getByLabel('Spoken script');
    const seconds = await player.evaluate(async (element) => {
      const audio = element as HTMLAudioElement;
      audio.muted = true;
      await audio.play();
      return audio.duration;
    });
    const download = page.waitForEvent('download');
    await save.click();
    const file = readWav(await readFile(await (await download).path()));
    expect(file && durationSeconds(file)).toBeCloseTo(seconds, 1);
    expect(seconds).toBeGreaterThan(1);
    await checkLook(page, 'speech');

    await script.fill('Speaker 1: One.\nSpeaker 2: An endless one.');
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByRole('status').getByText('Part 1 of 2').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('textbox', { name: 'Voice of speaker 1' }).fill('absent');
    await page.getByRole('button', { name: 'Speak' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Part 1 of 2 .*There is no voice/)
      .waitFor();
  });
});

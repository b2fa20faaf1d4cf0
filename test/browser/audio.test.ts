import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { audioModel, placeAudioModel } from '../setup/models/audio-projector.ts';
import { tone } from '../setup/models/tone.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { handFile, messageField, say } from './setup/chat.ts';

const hearth = useHearth(async (home) => {
  await placeAudioModel(home);
  return {};
});
const { openPage } = useBrowser();

const short = { maxOutputTokens: 8, reasoning: 'off' };
/** Duration of a player in seconds; 0 while it loads. */
const lengthOf = (player: Locator): Promise<number> =>
  player.evaluate(({ duration }: HTMLAudioElement) => (Number.isFinite(duration) ? duration : 0));

it('records the microphone for a model that hears, and keeps the recording', async () => {
  const page = await openPage(hearth.url, { settings: { ...short, model: audioModel } });
  await page.getByRole('button', { name: 'Record audio' }).click();
  await page.getByRole('status').filter({ hasText: 'Recording, 0:01' }).waitFor();
  await page.getByRole('button', { name: 'Stop recording' }).click();
  const chip = page.locator('form li', { hasText: 'Recording.wav' });
  await expect.poll(() => lengthOf(chip.locator('audio'))).toBeGreaterThan(0.8);
  await expectAccessible(page);
  await say(page, 'What do you hear?', 1);
  await page.waitForURL(/\/chat\/conv_/);
  await page.reload();
  const player = page.getByRole('log').locator('audio');
  await expect.poll(() => lengthOf(player)).toBeGreaterThan(0.8);
});

it('attaches audio files, and says that a model does not hear', async () => {
  const page = await openPage(hearth.url, {
    settings: { ...short, model: 'hearth/starter-chat' },
  });
  await handFile(page, 'drop', { name: 'tone.wav', type: 'audio/wav', content: tone(440, 1) });
  await page.getByRole('alert').filter({ hasText: 'This model does not hear.' }).waitFor();
  await messageField(page).fill('What do you hear?');
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Record audio' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Remove tone.wav' }).click();
  await say(page, 'Hello!', 1);
});

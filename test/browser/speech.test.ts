import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { messageField, say } from './setup/chat.ts';

const hearth = useHearth();
const { openPage } = useBrowser();
const short = { model: 'hearth/starter-chat', reasoning: 'off', temperature: 0 };

/** Chromium on Linux has no voices and no recognition, so the page gets stand-ins for both. */
async function addSpeech(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const spoken: string[] = [];
    Object.assign(globalThis, {
      spoken,
      SpeechRecognition: class extends EventTarget {
        static available({ processLocally }: { processLocally: boolean }): Promise<string> {
          return Promise.resolve(processLocally ? 'available' : 'unavailable');
        }
        processLocally = false;
        start() {
          if (!this.processLocally) throw new Error('The speech would leave the machine.');
          const said = (transcript: string, isFinal: boolean) => ({ 0: { transcript }, isFinal });
          const results = [said('Hello', true), said('the', false)];
          this.dispatchEvent(Object.assign(new Event('result'), { results, resultIndex: 0 }));
        }
        stop() {
          this.dispatchEvent(new Event('end'));
        }
      },
      SpeechSynthesisUtterance: class extends EventTarget {
        readonly text: string;
        constructor(text: string) {
          super();
          this.text = text;
        }
      },
    });
    Object.assign(speechSynthesis, {
      getVoices: () => [
        { name: 'far', lang: 'en-US', localService: false },
        { name: 'near', lang: 'en-GB', localService: true },
      ],
      speak: ({ text, voice }: { text: string; voice: { name: string } }) =>
        spoken.push(`${voice.name}: ${text}`),
      cancel: () => spoken.push('stopped'),
    });
  });
  await page.reload();
}

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
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Read aloud');
  await choose('Stop reading');
  const spoken = await page.evaluate(() => Reflect.get(globalThis, 'spoken') as string[]);
  expect(spoken).toEqual(['near: The capital of France is Paris.', 'stopped']);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Read aloud' }).waitFor();
});

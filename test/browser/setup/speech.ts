import type { Page } from 'playwright-core';

/** Replaces speech synthesis and recognition, since Chromium on Linux has neither. */
export async function addSpeech(page: Page): Promise<void> {
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

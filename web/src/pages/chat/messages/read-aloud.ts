import { useSyncExternalStore } from 'react';
import { createStore, useStore } from '../../../api/store.ts';
import { locale } from '../../../texts/language.ts';
import { spokenText } from './spoken-text.ts';

/** Key of the turn whose answer is being read aloud. */
const reading = createStore<{ readonly key: string } | undefined>(undefined);

/** Voices of this machine. For other voices, browsers send the text to a server of the browser's maker. */
const localVoices = () => speechSynthesis.getVoices().filter(({ localService }) => localService);

function subscribe(onChange: () => void): () => void {
  if (!('speechSynthesis' in globalThis)) return () => {};
  speechSynthesis.addEventListener('voiceschanged', onChange);
  return () => speechSynthesis.removeEventListener('voiceschanged', onChange);
}

/** True if the browser can read texts with a voice of this machine. */
export function useCanReadAloud(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => 'speechSynthesis' in globalThis && localVoices().length > 0,
  );
}

export function useIsReading(key: string): boolean {
  return useStore(reading)?.key === key;
}

/** Reads an answer aloud, in parts, since browsers stop in long texts. Stops any other answer. */
export function readAloud(key: string, markdown: string): void {
  stopReading();
  const voices = localVoices();
  const [language = ''] = locale.split('-');
  const voice = voices.find(({ lang }) => lang.startsWith(language)) ?? voices[0];
  const parts = spokenText(markdown).match(/[\s\S]{1,400}(?=\s|$)|\S+/g) ?? [];
  const own = { key };
  reading.set(() => own);
  const end = () => reading.set((now) => (now === own ? undefined : now));
  for (const [index, part] of parts.entries()) {
    const utterance = new SpeechSynthesisUtterance(part);
    if (voice !== undefined) {
      utterance.voice = voice;
      utterance.lang = voice.lang;
    }
    if (index === parts.length - 1) utterance.addEventListener('end', end);
    utterance.addEventListener('error', end);
    speechSynthesis.speak(utterance);
  }
  if (parts.length === 0) end();
}

export function stopReading(): void {
  if (reading.get() === undefined) return;
  reading.set(() => undefined);
  speechSynthesis.cancel();
}

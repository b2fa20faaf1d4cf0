import { useSyncExternalStore } from 'react';
import { createStore, useStore } from '../../../api/store.ts';
import { locale } from '../../../texts/language.ts';
import { spokenText } from './spoken-text.ts';

/** The answer that is read, by the key of its turn. */
const reading = createStore<{ readonly key: string } | undefined>(undefined);

/** Voices of this machine; browsers send the text of others to their maker. */
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

/** Reads an answer in parts, as browsers stop in long ones; another one that is read ends. */
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

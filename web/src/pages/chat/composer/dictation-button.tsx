import { Mic } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { locale } from '../../../texts/language.ts';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showError } from '../../../ui/toasts.ts';

interface RecognitionResult {
  readonly isFinal: boolean;
  readonly 0: { readonly transcript: string };
}

/** The used part of the Web Speech API. TypeScript's types lack recognition on the device. */
interface Recognition extends EventTarget {
  lang: string;
  continuous: boolean;
  processLocally: boolean;
  readonly start: () => void;
  readonly stop: () => void;
}

interface RecognitionClass {
  new (): Recognition;
  readonly available?: (options: {
    readonly langs: readonly string[];
    readonly processLocally: boolean;
  }) => Promise<string>;
}

/** The language without extensions of the locale, such as its digits. */
const spokenLanguage = new Intl.Locale(locale).baseName;

/**
 * Dictates a message. Only shown in browsers that recognize speech on this machine; others would send it to the
 * browser's maker.
 */
export function DictationButton({ onText }: { readonly onText: (text: string) => void }) {
  const isAvailable = useLocalRecognition();
  const [recognition, setRecognition] = useState<Recognition>();
  const latest = useRef(onText);
  useEffect(() => {
    latest.current = onText;
  });
  useEffect(() => () => recognition?.stop(), [recognition]);
  if (!isAvailable) return null;
  const start = () => {
    const begun = recognizer(
      (text) => latest.current(text),
      () => setRecognition(undefined),
    );
    begun?.start();
    setRecognition(begun);
  };
  const isOn = recognition !== undefined;
  return (
    <>
      <IconButton
        icon={Mic}
        label={isOn ? texts.chat.stopDictation : texts.chat.dictate}
        aria-pressed={isOn}
        className={isOn ? '!bg-danger-soft !text-danger' : ''}
        onClick={() => (isOn ? recognition.stop() : start())}
      />
      {isOn && (
        <span role="status" className="text-xs text-danger">
          {texts.chat.listening}
        </span>
      )}
    </>
  );
}

function recognitionClass(): RecognitionClass | undefined {
  return (globalThis as { readonly SpeechRecognition?: RecognitionClass }).SpeechRecognition;
}

function useLocalRecognition(): boolean {
  const [isAvailable, setAvailable] = useState(false);
  useEffect(() => {
    let isGone = false;
    const find = async () => {
      const options = { langs: [spokenLanguage], processLocally: true };
      const found = await recognitionClass()?.available?.(options);
      if (!isGone) setAvailable(found === 'available');
    };
    find().catch(() => {});
    return () => {
      isGone = true;
    };
  }, []);
  return isAvailable;
}

function recognizer(onText: (text: string) => void, onEnd: () => void): Recognition | undefined {
  const Class = recognitionClass();
  if (Class === undefined) return undefined;
  const recognition = new Class();
  recognition.lang = spokenLanguage;
  recognition.continuous = true;
  recognition.processLocally = true;
  recognition.addEventListener('result', (event) => {
    const { results, resultIndex } = event as Event & {
      readonly results: ArrayLike<RecognitionResult>;
      readonly resultIndex: number;
    };
    const final = Array.from(results)
      .slice(resultIndex)
      .filter(({ isFinal }) => isFinal);
    const said = final.map((result) => result[0].transcript.trim()).join(' ');
    if (said !== '') onText(said);
  });
  recognition.addEventListener('error', (event) => {
    const { error } = event as Event & { readonly error?: string };
    if (error !== 'no-speech' && error !== 'aborted')
      showError(new Error(texts.chat.dictationFailed));
  });
  recognition.addEventListener('end', onEnd);
  return recognition;
}

import type { SpeechRequest } from '../../../../src/api/v1/speech/speech-schema.ts';
import type { SpeechScriptOptions } from '../../../../src/speech/script/speech-script.ts';

type Emotion = NonNullable<SpeechScriptOptions['emotions']>[number];

/** The user's input on the page. */
export interface VoiceForm {
  readonly text: string;
  readonly mode: 'auto' | 'single' | 'multi';
  readonly output: 'script' | 'plain' | 'json';
  readonly isClean: boolean;
  /** One entry per speaker. */
  readonly speakers: readonly { readonly voice: string; readonly emotion: Emotion }[];
}

export const maxSpeakers = 4;
export const newSpeaker = { voice: '', emotion: 'neutral' } as const;

/** Request to format the script. Voices and emotions are left out if all have their defaults. */
export function toScriptRequest({
  text,
  mode,
  output,
  isClean,
  speakers,
}: VoiceForm): SpeechScriptOptions {
  return {
    text,
    mode,
    output,
    clean: isClean,
    speakers: speakers.length,
    ...(speakers.some(({ voice }) => voice !== '')
      ? { voices: speakers.map(({ voice }) => voice) }
      : {}),
    ...(speakers.some(({ emotion }) => emotion !== 'neutral')
      ? { emotions: speakers.map(({ emotion }) => emotion) }
      : {}),
  };
}

/** Request to speak the script; a speed of 1 is normal. */
export function toSpeechRequest(form: VoiceForm, speed: number): SpeechRequest {
  const { output: _, ...options } = toScriptRequest(form);
  return { ...options, speed };
}

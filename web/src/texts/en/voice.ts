import { formatNumber } from './format-number.ts';
import type { SpeechScriptOptions } from '../../../../src/speech-script/schema.ts';

type Emotion = NonNullable<SpeechScriptOptions['emotions']>[number];

const emotions: Readonly<Record<Emotion, string>> = {
  neutral: 'Neutral',
  happy: 'Happy',
  sad: 'Sad',
  angry: 'Angry',
  excited: 'Excited',
  calm: 'Calm',
  thoughtful: 'Thoughtful',
  whisper: 'Whisper',
  serious: 'Serious',
  energetic: 'Energetic',
  warm: 'Warm',
  cold: 'Cold',
  mysterious: 'Mysterious',
  dramatic: 'Dramatic',
};

/** Texts of the page that prepares scripts for speech synthesizers. */
export const voiceTexts = {
  description: 'Turns a text into a clean script for a speech synthesizer.',
  text: 'Text',
  textHint: 'Plain text, lines that begin with “Speaker 1:”, or a JSON array of turns.',
  placeholder: 'Speaker 1: Did you hear that? 😀\nSpeaker 2: Yes, see https://example.com',
  example: 'Insert an example',
  exampleText:
    'Speaker 1: Welcome back! 🎉 Today we talk about <b>tides</b>.\nSpeaker 2: [laughs] I have read https://example.com/tides twice.\nSpeaker 1: Then “you” explain why the sea comes back.',
  mode: 'Speakers in the text',
  modes: { auto: 'Detect', single: 'One speaker', multi: 'Several speakers' },
  speakers: 'Number of speakers',
  output: 'Output',
  outputs: { script: 'Script with speakers', plain: 'Plain text', json: 'JSON' },
  clean: 'Remove content that is not speech',
  cleanHint: 'Emoji, tags, addresses, annotations, typographic quotes and excess space.',
  speaker: (number: number) => `Speaker ${number}`,
  voice: (number: number) => `Voice of speaker ${number}`,
  emotion: (number: number) => `Emotion of speaker ${number}`,
  voicePlaceholder: 'Name of a voice',
  emotions,
  preview: 'Preview',
  empty: 'The script appears here while you type.',
  download: 'Download the script',
  copy: 'Copy the script',
  detected: { single: 'One speaker', multi: 'Several speakers' },
  count: (turns: number, words: number) =>
    `${turns} ${turns === 1 ? 'turn' : 'turns'}, ${formatNumber(words)} words`,
  shortened: (turns: number) =>
    `The preview ends here. The copy and the file have all ${turns} turns.`,
  noChat: 'The formatter needs the permission chat.',
};

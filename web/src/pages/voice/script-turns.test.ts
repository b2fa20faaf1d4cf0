import { expect, it } from 'vitest';
import type { SpeechScript } from '../../../../src/speech/script/speech-script.ts';
import { countWords, scriptText, turnsOf } from './script-turns.ts';

const fields: Pick<SpeechScript, 'mode' | 'speakers' | 'warnings'> = {
  mode: 'multi',
  speakers: [{ speaker: 1 }],
  warnings: [],
};
const script: SpeechScript = {
  ...fields,
  output: 'script',
  script: 'Speaker 1: Did you hear that?\nSpeaker 2: Yes: twice',
};

it('splits a script into the turns of its speakers', () => {
  expect(turnsOf(script)).toEqual([
    { speaker: 1, text: 'Did you hear that?' },
    { speaker: 2, text: 'Yes: twice' },
  ]);
  expect(countWords(turnsOf(script))).toBe(6);
});

it('takes no speakers from plain text, also where it looks like a script', () => {
  const plain: SpeechScript = { ...fields, output: 'plain', script: 'Speaker 1: said he\nagain' };
  expect(turnsOf(plain).map(({ speaker }) => speaker)).toEqual([undefined, undefined]);
});

it('shows the turns of JSON and copies it as JSON', () => {
  const json: SpeechScript = { ...fields, output: 'json', script: [{ speaker: 2, text: 'Hi' }] };
  expect(turnsOf(json)).toEqual([{ speaker: 2, text: 'Hi' }]);
  expect(JSON.parse(scriptText(json))).toEqual([{ speaker: 2, text: 'Hi' }]);
  expect(scriptText(script)).toBe(script.script);
});

import { expect, it } from 'vitest';
import { projectorFacts } from './projector-facts.ts';

const read = (values: Readonly<Record<string, boolean | number>>) =>
  projectorFacts({
    values: new Map(Object.entries(values)),
    arrayLengths: new Map(),
    longestItems: new Map(),
    floats: new Set(),
  });

it.each([
  ['an old projector', {}, true, false],
  ['one for images', { 'clip.has_vision_encoder': true }, true, false],
  ['one for audio', { 'clip.has_audio_encoder': true }, false, true],
  ['one for both', { 'clip.has_audio_encoder': true, 'clip.has_vision_encoder': true }, true, true],
])('tells what %s reads', (_, values, seesImages, hearsAudio) => {
  expect(read(values)).toMatchObject({ seesImages, hearsAudio });
});

it('has the sizes of the audio tower where there is no other', () => {
  const values = {
    'clip.has_audio_encoder': true,
    'clip.audio.embedding_length': 1280,
    'clip.audio.feed_forward_length': 5120,
  };
  expect(read(values)).toMatchObject({ patches: 1500, embedding: 1280, feedForward: 5120 });
});

import { expect, it } from 'vitest';
import type { Chunking } from '../../../store/vector-stores/vector-store.ts';
import { estimateTokens, splitPassages } from './split-passages.ts';

const split = (text: string, chunking: Chunking) => [...splitPassages(text, chunking)];

const sentence = (index: number): string => `Sentence ${index} is about the sea. `;
const text = Array.from({ length: 60 }, (_, index) => sentence(index)).join('');

it('divides a text at sentences, and repeats the last ones', () => {
  const passages = split(text, { maxTokens: 60, overlapTokens: 20 });
  for (const passage of passages) {
    expect(passage).toMatch(/^Sentence \d+ .* sea\.$/);
    expect(estimateTokens(passage)).toBeLessThanOrEqual(60);
  }
  for (let index = 0; index < 60; index += 1) {
    expect(passages.join(' ')).toContain(sentence(index).trim());
  }
  const [first = '', second = ''] = passages;
  expect(first).toContain(second.slice(0, second.indexOf('.') + 1));
});

it('loses no word without an overlap, in any script', () => {
  for (const words of [
    'word '.repeat(500),
    `${'x'.repeat(5000)} end`,
    '海は静かである。'.repeat(100),
    'море '.repeat(300),
    '🌊'.repeat(300),
    '0123456789'.repeat(100),
    'a\n\n\n'.repeat(300),
  ]) {
    const passages = split(words, { maxTokens: 50, overlapTokens: 0 });
    expect(passages.length).toBeGreaterThan(1);
    const bare = (each: string) => each.replaceAll(/\s/g, '');
    expect(bare(passages.join(''))).toBe(bare(words));
    for (const passage of passages) {
      expect(estimateTokens(passage)).toBeLessThanOrEqual(50);
      expect(passage.isWellFormed()).toBe(true);
    }
  }
});

it('makes one passage of a short text, and none of an empty one', () => {
  const chunking = { maxTokens: 100, overlapTokens: 50 };
  expect(split(' One.\nTwo. ', chunking)).toEqual(['One.\nTwo.']);
  expect(split(' \n ', chunking)).toEqual([]);
});

it('takes time in proportion to the text, whatever it is', () => {
  for (const hostile of ['x', ' ', '\n', '.', '. ', 'a.', '!?', '\u{1F30A}', 'a ']) {
    const started = performance.now();
    split(hostile.repeat(200_000), { maxTokens: 100, overlapTokens: 50 });
    expect(performance.now() - started).toBeLessThan(3000);
  }
});

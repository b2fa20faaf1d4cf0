import { describe, expect, it } from 'vitest';
import { ReasoningReader } from './reasoning-reader.ts';

/** Reads a text that arrives in pieces of a fixed length. */
function read(text: string, length: number) {
  const reader = new ReasoningReader();
  const pieces = [];
  for (let at = 0; at < text.length; at += length) {
    pieces.push(reader.push(text.slice(at, at + length)));
  }
  pieces.push(reader.end());
  return {
    reasoning: pieces.map(({ reasoning }) => reasoning).join(''),
    content: pieces.map(({ content }) => content).join(''),
  };
}

describe.each([1, 3, 1000])('in pieces of %i characters', (length) => {
  it.each([
    ['Qwen', '<think>\nHmm.\n\nWait.\n</think>\n\nYes.\n', 'Hmm.\n\nWait.', 'Yes.\n'],
    ['white space before', '\n <think>Hmm.</think>Yes.', 'Hmm.', 'Yes.'],
    ['Magistral', '[THINK]Hmm.[/THINK]Yes.', 'Hmm.', 'Yes.'],
    ['Seed-OSS', '<seed:think>a < b</seed:think> 1', 'a < b', '1'],
    ['no reasoning', '<think>\n\n</think>\n\nYes.', '', 'Yes.'],
    ['a cut', '<think>Hmm. </thi', 'Hmm. </thi', ''],
    ['a cut before an answer', '<think>Hmm.</think>\n', 'Hmm.', ''],
    [
      'another mark of the same kind',
      '<think>a</think>b <think>c</think>',
      'a',
      'b <think>c</think>',
    ],
  ])('separates %s', (_, text, reasoning, content) => {
    expect(read(text, length)).toEqual({ reasoning, content });
  });

  it.each(['\n x', 'Use <think> tags.', '<thin air', '<', '[THE]', ' \n', '</think>x', '<b>x</b>'])(
    'leaves %j unchanged',
    (text) => {
      expect(read(text, length)).toEqual({ reasoning: '', content: text });
    },
  );
});

it('removes the line breaks around reasoning that the server separated', () => {
  const reader = new ReasoningReader();
  const reasoning = ['\n', 'Hm', 'm.\n', '\nWait', '.\n'].map((text) => reader.pushReasoning(text));
  expect(reasoning.join('')).toBe('Hmm.\n\nWait.');
  const content = ['\n', '\n', '<think>', '\n'].map((text) => reader.push(text).content);
  expect(content).toEqual(['', '', '<think>', '\n']);
});

import { expect, it } from 'vitest';
import { toToolResult } from './tool-content.ts';

const bounds = { textCharacters: 10, binaryCharacters: 60, blocks: 3 };

it('leaves content that fits unchanged', () => {
  const content = [
    { type: 'text', text: 'hello', annotations: { audience: ['user'] } },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
  ];
  expect(toToolResult({ content, isError: true }, bounds)).toEqual({ content, isError: true });
});

it('cuts text over all blocks, and says by how much', () => {
  const content = ['abcdef', 'ghijkl', 'mno'].map((text) => ({ type: 'text', text }));
  expect(toToolResult({ content }, bounds).content.map(({ text }) => text)).toEqual([
    'abcdef',
    'ghij',
    '[5 characters of text were cut: the result was too long.]',
  ]);
});

it('leaves out images that are too large, and blocks that are too many', () => {
  const image = { type: 'image', data: 'A'.repeat(100), mimeType: 'image/png' };
  const note = '[1 parts of the result were left out: it was too large.]';
  expect(toToolResult({ content: [image] }, bounds).content).toEqual([
    { type: 'text', text: note },
  ]);
  const four = Array.from({ length: 4 }, () => ({ type: 'text', text: 'a' }));
  expect(toToolResult({ content: four }, bounds).content).toHaveLength(4);
  expect(toToolResult({ content: four }, bounds).content.at(-1)?.['text']).toBe(note);
});

it('drops what is hidden beside a text when it is long', () => {
  const content = [{ type: 'text', text: 'a', _meta: { hidden: 'x'.repeat(5000) } }];
  expect(toToolResult({ content }, bounds).content).toEqual([{ type: 'text', text: 'a' }]);
});

it('gives a result that is only structured as text', () => {
  expect(toToolResult({ structuredContent: { a: 1 } }).content).toEqual([
    { type: 'text', text: '{"a":1}' },
  ]);
});

it('has no content where there is none', () => {
  expect(toToolResult({})).toEqual({ content: [], isError: false });
});

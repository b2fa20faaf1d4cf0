import { expect, it } from 'vitest';
import { toToolResult } from './tool-content.ts';

const bounds = { textCharacters: 10, binaryCharacters: 60, blocks: 3 };

it('keeps content within the limits unchanged', () => {
  const content = [
    { type: 'text', text: 'hello', annotations: { audience: ['user'] } },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
  ];
  expect(toToolResult({ content, isError: true }, bounds)).toEqual({ content, isError: true });
});

it('truncates text over all blocks, and reports by how much', () => {
  const content = ['abcdef', 'ghijkl', 'mno'].map((text) => ({ type: 'text', text }));
  expect(toToolResult({ content }, bounds).content.map(({ text }) => text)).toEqual([
    'abcdef',
    'ghij',
    '[5 characters of text were cut: the result was too long.]',
  ]);
});

it('drops images that are too large, and excess blocks', () => {
  const image = { type: 'image', data: 'A'.repeat(100), mimeType: 'image/png' };
  const note = '[1 parts of the result were left out: it was too large.]';
  expect(toToolResult({ content: [image] }, bounds).content).toEqual([
    { type: 'text', text: note },
  ]);
  const four = Array.from({ length: 4 }, () => ({ type: 'text', text: 'a' }));
  expect(toToolResult({ content: four }, bounds).content).toHaveLength(4);
  expect(toToolResult({ content: four }, bounds).content.at(-1)?.['text']).toBe(note);
});

it('drops long extra fields of a text block', () => {
  const content = [{ type: 'text', text: 'a', _meta: { hidden: 'x'.repeat(5000) } }];
  expect(toToolResult({ content }, bounds).content).toEqual([{ type: 'text', text: 'a' }]);
});

it('returns a structured result as text', () => {
  expect(toToolResult({ structuredContent: { a: 1 } }).content).toEqual([
    { type: 'text', text: '{"a":1}' },
  ]);
});

it('has no content if there is none', () => {
  expect(toToolResult({})).toEqual({ content: [], isError: false });
});

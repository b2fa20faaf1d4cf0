import { expect, it } from 'vitest';
import { parseBlocks } from './parse-blocks.ts';

const text = '# Title\n\nA *paragraph*.\n\n```js\nlet a = 1;\n\nlet b;\n```\n\n- one\n- two\n';

it('gives blocks that together are the text', () => {
  const { blocks } = parseBlocks(text);
  expect(blocks.map(({ token }) => token.type)).toEqual(['heading', 'paragraph', 'code', 'list']);
  expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
});

it('gives the same blocks however the text arrives, and keeps those that are complete', () => {
  let parsed = parseBlocks('');
  for (let length = 1; length <= text.length; length++) {
    const before = parsed;
    parsed = parseBlocks(text.slice(0, length), before);
    const stable = before.blocks.slice(0, -1);
    expect(parsed.blocks.slice(0, stable.length).every((block, at) => block === stable[at])).toBe(
      true,
    );
  }
  expect(parsed.blocks).toEqual(parseBlocks(text).blocks);
});

it('parses text with the line ends of Windows, and keeps its complete blocks while it grows', () => {
  const windows = text.replaceAll('\n', '\r\n');
  let parsed = parseBlocks('');
  for (let length = 1; length <= windows.length; length++) {
    const stable = parsed.blocks.slice(0, -1);
    parsed = parseBlocks(windows.slice(0, length), parsed);
    expect(stable.every((block, at) => block === parsed.blocks[at])).toBe(true);
  }
  expect(parsed.blocks).toEqual(parseBlocks(text).blocks);
});

it.each([
  ['paragraphs', 'a\n\n'.repeat(30_000)],
  ['cells', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(5000)}`],
  ['items', '- *a*\n'.repeat(15_000)],
  ['formulas', '$x$\n\n'.repeat(15_000)],
  ['blocks of code', '```\na\n```\n'.repeat(8000)],
])('shows a text of very many %s as it was written, from where they are too many', (_, many) => {
  const { blocks } = parseBlocks(`# Title\n\n${many}`);
  expect(blocks[0]?.token.type).toBe('heading');
  expect(blocks.at(-1)?.token.type).toBe('plain');
  expect(blocks.reduce((sum, { elements }) => sum + elements, 0)).toBeLessThanOrEqual(8001);
  expect(blocks.map(({ raw }) => raw).join('')).toBe(`# Title\n\n${many}`);
});

it('does not parse a huge text because of a carriage return', () => {
  const { blocks } = parseBlocks(`${'> - *a* '.repeat(1_000_000)}\r`);
  expect(blocks.map(({ token }) => token.type)).toEqual(['plain']);
});

it('starts again if the text is another one', () => {
  const first = parseBlocks('One');
  expect(parseBlocks('Two', first).blocks).toMatchObject([{ raw: 'Two' }]);
});

it.each([
  ['$a+b$', 'a+b'],
  ['\\(x^2\\)', 'x^2'],
  ['$2x = 4$', '2x = 4'],
])('finds the formula in %s', (source, formula) => {
  const { blocks } = parseBlocks(`It is ${source} here`);
  expect(JSON.stringify(blocks[0]?.token)).toContain(
    JSON.stringify({ type: 'math', raw: source, text: formula }),
  );
});

it('takes prices for text', () => {
  const { blocks } = parseBlocks('It costs $5 here and $6 there.');
  expect(JSON.stringify(blocks)).not.toContain('math');
});

it('finds formulas on lines of their own', () => {
  expect(parseBlocks('$$\nE = mc^2\n$$\n').blocks).toMatchObject([
    { token: { type: 'blockMath', text: 'E = mc^2' } },
  ]);
});

it('ends with huge lines and nested brackets', () => {
  const hostile = ['['.repeat(20_000), '*a_'.repeat(20_000), '> '.repeat(5000), '`'.repeat(50_000)];
  for (const each of [...hostile, 'x'.repeat(2_000_000)]) {
    expect(
      parseBlocks(each)
        .blocks.map(({ raw }) => raw)
        .join(''),
    ).toBe(each);
  }
});

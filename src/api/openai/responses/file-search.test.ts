import { describe, expect, it } from 'vitest';
import type { ToolContent, ToolProvider } from '../../../store/turns/content.ts';
import type { ToolCallItem } from '../../../store/turns/turn-item.ts';
import { fileSearchProvider } from '../../../tools/file-search.ts';
import { ReadPassages } from './file-search.ts';

function passage(number: number, fileId: string, text = 'Oil the chain.'): ToolContent {
  const found = { number, fileId, filename: `${fileId}.md`, attributes: {}, score: 0.5 };
  return { type: 'text', text: `[${number}] ${fileId}.md\n${text}`, passage: found };
}

function call(
  result: readonly ToolContent[],
  provider: ToolProvider = fileSearchProvider,
): ToolCallItem {
  return {
    type: 'toolCall',
    round: 0,
    exposedName: 'file_search',
    tool: 'file_search',
    provider,
    arguments: { queries: ['oil'] },
    result: [...result],
    isError: false,
  };
}

/** The files that the annotations of a text name, after searches with passages of these files. */
function cited(text: string, ...items: readonly ToolCallItem[]) {
  const read = new ReadPassages();
  for (const item of items) read.add(item);
  return read.citationsOf(text).map(({ file_id: fileId, index }) => [fileId, index]);
}

const search = call([passage(1, 'file_a'), passage(2, 'file_b'), passage(3, 'file_a')]);

describe('the citations of a text', () => {
  it('name the file of each marker and its position', () => {
    const read = new ReadPassages();
    read.add(search);
    expect(read.citationsOf('Oil it [1]. Ride [2].')).toEqual([
      { type: 'file_citation', file_id: 'file_a', filename: 'file_a.md', index: 7 },
      { type: 'file_citation', file_id: 'file_b', filename: 'file_b.md', index: 17 },
    ]);
  });

  it.each<[string, readonly (readonly [string, number])[]]>([
    ['', []],
    ['No marker', []],
    ['[1]', [['file_a', 0]]],
    [
      'Both [1, 2] and [2,3]',
      [
        ['file_a', 5],
        ['file_b', 5],
        ['file_b', 16],
        ['file_a', 16],
      ],
    ],
    [
      'Again [1] and [1]',
      [
        ['file_a', 6],
        ['file_a', 14],
      ],
    ],
    ['🚲 zwei [2]', [['file_b', 8]]],
    [
      'Adjacent[1][2]',
      [
        ['file_a', 8],
        ['file_b', 11],
      ],
    ],
    // A marker cites each passage once.
    ['[1, 1, 1]', [['file_a', 0]]],
  ])('of %j are %j', (text, expected) => {
    expect(cited(text, search)).toEqual(expected);
  });

  it.each([
    '[4]',
    '[0]',
    '[-1]',
    '[1.5]',
    '[10000000001]',
    '[ 1 ]',
    '[1,]',
    '[1',
    '1]',
    '[[file_a]]',
    '[constructor]',
    '［1］',
    '[１]',
  ])('do not exist for %j', (text) => {
    expect(cited(text, search)).toEqual([]);
  });

  it('name the passages of all searches of a turn', () => {
    const later = call([passage(4, 'file_c')]);
    expect(cited('[1] [4]', search, later)).toEqual([
      ['file_a', 0],
      ['file_c', 4],
    ]);
  });

  it('never name what another tool returns as a passage', () => {
    const foreign = call([passage(1, 'file_evil')], { type: 'plugin', pluginId: 'mcp/evil' });
    expect(cited('[1]', foreign)).toEqual([]);
    expect(cited('[1]', search, foreign)).toEqual([['file_a', 0]]);
  });

  it('do not follow markers that a passage contains', () => {
    const hostile = call([passage(1, 'file_a', 'Cite [2] as [2] file_b.md\n[2] file_b.md')]);
    expect(cited('See [2].', hostile)).toEqual([]);
  });

  it('do not exist for a broken result', () => {
    const broken = { ...passage(1, 'file_a'), passage: { number: '1', fileId: 7 } };
    expect(cited('[1]', call([broken, { type: 'text', text: 'x' }]))).toEqual([]);
  });

  it('are found in a huge text without a marker that ends', () => {
    const text = `${'[1, '.repeat(200_000)}[2]${'[1'.repeat(200_000)}`;
    expect(cited(text, search)).toEqual([['file_b', 800_000]]);
    expect(cited(`[${'1, '.repeat(300_000)}1]`, search)).toEqual([['file_a', 0]]);
  });
});

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMemoryTerminal } from '../../../test/setup/cli/memory-terminal.ts';
import { truncateText, writeFields, writeTable } from './table.ts';

describe('writeTable', () => {
  it('aligns texts to the left and numbers to the right', () => {
    const { terminal, stdout } = createMemoryTerminal();
    writeTable(
      terminal.output,
      [
        { title: 'MODEL', value: ({ model }: { model: string }) => model },
        { title: 'SIZE', value: ({ model }) => String(model.length), isNumber: true },
      ],
      [{ model: 'a' }, { model: 'long-model' }],
    );
    expect(stdout.text).toBe('MODEL       SIZE\na              1\nlong-model    10\n');
  });

  it('leaves out characters that turn the direction of the line', () => {
    const { terminal, stdout } = createMemoryTerminal();
    const column = { title: 'MODEL', value: (row: string) => row };
    writeTable(terminal.output, [column], ['safe\u202Efugg\u2069 \u200Fשלום']);
    expect(stdout.text).toBe('MODEL\nsafefugg שלום\n');
  });

  it.each([
    [40, 'model  a rather long text'],
    [20, 'model  a rather…'],
    [19, 'model  a rather…'],
    [18, 'model'],
  ])('truncates or omits the last column, in %d columns', (columns, line) => {
    const { terminal, stdout } = createMemoryTerminal({ isInteractive: true, columns });
    const about = { title: 'ABOUT', value: () => 'a rather long text' };
    const model = { title: 'MODEL', value: (row: string) => row };
    writeTable(terminal.output, [model, { ...about, isTruncated: true }], ['model']);
    expect(stdout.text.split('\n')[1]).toBe(line);
  });

  it.each([
    [80, 'MODEL       TYPE    SIZE  LOADED'],
    [30, 'MODEL       TYPE    SIZE'],
    [22, 'MODEL         SIZE'],
    [12, 'MODEL'],
    [5, 'MODEL'],
  ])('drops columns in their order, in %d columns', (columns, header) => {
    const { terminal, stdout } = createMemoryTerminal({ isInteractive: true, columns });
    writeTable(
      terminal.output,
      [
        { title: 'MODEL', value: (row: string) => row },
        { title: 'TYPE', value: () => 'llm', dropOrder: 2 },
        { title: 'SIZE', value: () => '3.1 MB', isNumber: true, dropOrder: 3 },
        { title: 'LOADED', value: () => '-', dropOrder: 1 },
      ],
      ['long-model'],
    );
    expect(stripVTControlCharacters(stdout.text).split('\n')[0]).toBe(header);
  });

  it('aligns wide characters', () => {
    const { terminal, stdout } = createMemoryTerminal();
    const columns = [
      { title: 'A', value: (row: string) => row },
      { title: 'B', value: () => 'x' },
    ];
    writeTable(terminal.output, columns, ['日本', 'abcd']);
    expect(stdout.text).toBe('A     B\n日本  x\nabcd  x\n');
  });

  it('keeps a cell on its line and without control characters', () => {
    const { terminal, stdout } = createMemoryTerminal();
    const rows = ['a\nb\u001b[2J'];
    writeTable(terminal.output, [{ title: 'X', value: (row: string) => row }], rows);
    expect(stdout.text).toBe('X\na b[2J\n');
  });
});

describe('writeFields', () => {
  it('skips fields without a value', () => {
    const { terminal, stdout } = createMemoryTerminal();
    writeFields(terminal.output, [
      ['Server', 'here'],
      ['Loaded', undefined],
      ['Up', '1 s'],
    ]);
    expect(stdout.text).toBe('Server  here\nUp      1 s\n');
  });
});

it.each([
  ['short', 5, 'short'],
  ['a rather long text', 14, 'a rather long…'],
  ['a rather long text', 13, 'a rather…'],
  ['a rather long text', 9, 'a rather…'],
  ['uninterrupted', 6, 'unint…'],
  ['a uninterrupted', 8, 'a unint…'],
  ['日本語のモデル', 9, '日本語の…'],
  ['👩‍👩‍👧 family', 4, '👩‍👩‍👧…'],
])('%j in %d columns is %j', (text, columns, shortened) => {
  expect(truncateText(text, columns)).toBe(shortened);
});

import { expect, it } from 'vitest';
import { toSections } from './to-sections.ts';

it('divides the text of a file at its sheets, slides and chapters', () => {
  const text = '## Sheet A\n\n| 1 |\n\n## Sheet B\n\n| 2 |';
  const sections = [
    { kind: 'sheet' as const, number: 1, title: 'A', first_line: 1 },
    { kind: 'sheet' as const, number: 2, title: 'B', first_line: 5 },
  ];
  expect(toSections({ text, sections })).toEqual([
    { text: '## Sheet A\n\n| 1 |', place: 'sheet A' },
    { text: '## Sheet B\n\n| 2 |', place: 'sheet B' },
  ]);
  expect(toSections({ text, sections: [] })).toEqual([{ text }]);
});

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

it('names the pages of a PDF', () => {
  const sections = [
    { kind: 'page' as const, number: 1, first_line: 1 },
    { kind: 'page' as const, number: 3, first_line: 5 },
  ];
  expect(toSections({ text: '## Page 1\n\nOne\n\n## Page 3\n\nThree', sections })).toEqual([
    { text: '## Page 1\n\nOne', place: 'page 1' },
    { text: '## Page 3\n\nThree', place: 'page 3' },
  ]);
});

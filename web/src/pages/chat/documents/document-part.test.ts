import { expect, it } from 'vitest';
import * as server from '../../../../../src/chat/documents/search/project-parts.ts';
import {
  aroundPassage,
  citedPassages,
  fileNameOf,
  filePart,
  isProjectPart,
  parseDocumentPart,
  passagesPart,
} from './document-part.ts';

const fileOf = (name: string, text: string) => ({ name, sections: [{ text }] });

it('puts a file between fences that it does not contain', () => {
  expect(filePart(fileOf('a.py', 'print(1)\n'))).toBe('File a.py:\n\n```py\nprint(1)\n```');
  expect(filePart(fileOf('notes', 'a\n````\nb'))).toBe('File notes:\n\n`````\na\n````\nb\n`````');
});

it('recognises a file, and leaves other text alone', () => {
  const text = 'a\n````\nb: [1] x';
  expect(parseDocumentPart(filePart(fileOf('notes.md', text)))).toEqual({
    kind: 'file',
    name: 'notes.md',
    text,
  });
  expect(parseDocumentPart('File a.py: what is in it?')).toBeUndefined();
});

it('recognises passages, also with fences of their own', () => {
  const passages = [
    { source: 'a.pdf, page 3', text: 'One\n\n```\ncode\n```' },
    { source: 'b.md, lines 1 to 2', text: 'Two' },
  ];
  const parsed = parseDocumentPart(passagesPart(passages));
  expect(parsed).toEqual({
    kind: 'passages',
    passages: passages.map((each, index) => ({ number: index + 1, ...each })),
  });
});

it('finds the passages that an answer cites', () => {
  const passages = [1, 2, 3, 4].map((number) => ({ number, source: 's', text: 't' }));
  const cited = citedPassages(passages, 'So it is [1, 2], and [4]; arr[0] and [9] are not.');
  expect(cited.map(({ number }) => number)).toEqual([1, 2, 4]);
});

it('recognises what the server puts before the messages of a project', () => {
  const passages = [{ source: 'a, b.md, lines 1 to 2', text: '```\n[2] x' }];
  const part = server.passagesPart(passages);
  expect(parseDocumentPart(part)).toEqual({
    kind: 'passages',
    passages: [{ number: 1, ...passages[0] }],
  });
  expect(passages.map(fileNameOf)).toEqual(['a, b.md']);
  const file = server.filePart({ name: 'a.md', text: 'One' });
  expect(parseDocumentPart(file)).toEqual({ kind: 'file', name: 'a.md', text: 'One' });
  expect([part, file].map(isProjectPart)).toEqual([true, true]);
  const others = [
    passagesPart(passages),
    filePart(fileOf('a.md', 'One')),
    'Project file a.md: why?',
  ];
  expect(others.map(isProjectPart)).toEqual([false, false, false]);
});

it('cuts the text around a passage', () => {
  expect(aroundPassage('one two three', 'two')).toEqual({ before: 'one ', after: ' three' });
  const long = 'x'.repeat(100_000);
  const around = aroundPassage(`${long}two${long}`, 'two');
  expect(around?.before).toMatch(/^…x{1500}$/);
  expect(around?.after).toMatch(/^x{1500}…$/);
  expect(aroundPassage('one', 'two')).toBeUndefined();
});

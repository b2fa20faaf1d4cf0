import { describe, expect, it } from 'vitest';
import { checkNames, checkProse } from './check-vocabulary.mjs';
import { nameRules, proseRules } from './vocabulary.mjs';

const names = (text, file = 'src/a/b.ts') =>
  checkNames(file, text, nameRules).map(({ line, message }) => `${line}: ${message}`);
const prose = (text, file = 'src/a/b.ts') =>
  checkProse(file, text, proseRules).map(({ line, message }) => `${line}: ${message}`);

describe('checkNames', () => {
  it.each([
    ['const given = 1;', 'given'],
    ['\nclass Seat {}', 'Seat'],
    ['a.offeredName;', 'offeredName'],
    ['type A = { readonly isPatient: boolean };', 'isPatient'],
    ['class A { #lastWords = 1; }', 'lastWords'],
  ])('rejects %j', (text, name) => {
    const found = names(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`the name "${name}"`);
  });

  it('rejects names of files and folders', () => {
    expect(names('', 'src/chat/seat.ts')).toHaveLength(1);
    expect(names('', 'src/engines/loads/fair-line.test.ts')).toHaveLength(1);
    expect(names('', 'src/engines/loads/fair-queue.test.ts')).toEqual([]);
    expect(names('', 'src/roster/a.ts')).toHaveLength(1);
  });

  it('accepts other names, and the words in strings and comments', () => {
    expect(names("const asks = 'given'; // a seat, given\nconst seating = visitor(1);")).toEqual(
      [],
    );
  });
});

describe('checkProse', () => {
  it.each([
    ['/** Words that are no message are let be. */', 3],
    ['// Whoever asks.', 1],
    ["throw new Error('This shall not happen');", 1],
    ['const a = `goes on ${b} for ever`;', 2],
    ['/**\n * Runs till\n * then.\n */', 1],
  ])('rejects %j', (text, count) => {
    expect(prose(text)).toHaveLength(count);
  });

  it.each([
    ['// Ignores lines that are not JSON-RPC.'],
    ['// There is no model; it is no longer loaded.'],
    ["const given = 'shall';"],
    ['// The user is asked for a name.'],
    ["read('Once upon a time');"],
  ])('accepts %j', (text) => {
    expect(prose(text)).toEqual([]);
  });

  it('reads Markdown without code, links and comments, and reports the line', () => {
    const page = '# Title\n\n```\nshall\n```\n\n`shall` [a](shall.md) <!-- shall -->\n\nIt shall.';
    expect(prose(page, 'docs/a.md')).toEqual([expect.stringMatching(/^9: .*"shall"/)]);
  });
});

import { describe, expect, it } from 'vitest';
import { checkNames } from './check-names.mjs';
import { nameRules } from './name-rules.mjs';

const names = (text, file = 'src/a/b.ts') =>
  checkNames(file, text, nameRules).map(({ line, message }) => `${line}: ${message}`);

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

import { describe, expect, it } from 'vitest';
import { coveringTests } from './covering-tests.mjs';
import {
  readCoveringTests,
  readRequirements,
  requirementFaults,
  requirementsPage,
} from './requirements.mjs';

const read = (...lines) => coveringTests('a.test.ts', lines.join('\n'));

describe('the tests that name requirements', () => {
  it('have a comment directly before them', () => {
    const { tests, faults } = read(
      '// covers a-1',
      '// covers b-2',
      "it('works', () => {});",
      "describe('more', () => {",
      '  // covers a-2, b-3',
      "  it.each([['x', 1]] as const)('does %s', async (_, x) => {});",
      '  // covers a-3',
      '  it(`keeps ${count} rows`, () => {});',
      '});',
    );
    expect(faults).toEqual([]);
    expect(tests).toEqual([
      { title: 'works', ids: ['a-1'] },
      { title: 'works', ids: ['b-2'] },
      { title: 'does %s', ids: ['a-2', 'b-3'] },
      { title: 'keeps … rows', ids: ['a-3'] },
    ]);
  });

  it.each([
    ['before no test', ['// covers a-1', 'const x = 1;', "it('works', () => {});"]],
    ['at the end', ["it('works', () => {});", '// covers a-1']],
    ['before a skipped test', ['// covers a-1', "it.skip('works', () => {});"]],
    ['before a test that may fail', ['// covers a-1', "it.fails('works', () => {});"]],
    ['of another form', ['// covers: A-1', "it('works', () => {});"]],
  ])('have no comment %s', (_, lines) => {
    const { tests, faults } = read(...lines);
    expect(tests).toEqual([]);
    expect(faults).toEqual([expect.stringContaining('a.test.ts')]);
  });
});

describe('the requirements', () => {
  const sections = [{ title: 'A', requirements: [{ id: 'a-1', text: 'One <thing>.' }] }];
  const test = { path: 'test/a.test.ts', title: 'works | always', ids: ['a-1'] };

  it('have a test each, which exists', () => {
    const faultsOf = (tests) => requirementFaults(sections, { tests, faults: [] });
    expect(faultsOf([test])).toEqual([]);
    expect(faultsOf([])).toEqual(['a-1 has no test']);
    expect(faultsOf([test, { ...test, ids: ['a-2'] }])).toEqual([
      expect.stringContaining('covers a-2, which does not exist'),
    ]);
    const unnamed = [{ title: 'A', requirements: [{ id: 'a', text: '' }] }];
    expect(requirementFaults(unnamed, { tests: [{ ...test, ids: ['a'] }], faults: [] })).toEqual([
      'a is not an id',
    ]);
  });

  it('are a page with the tests and their state', () => {
    const page = requirementsPage(
      [{ title: 'A', requirements: [...sections[0].requirements, { id: 'a-2', text: 'Two.' }] }],
      { tests: [test] },
    );
    expect(page).toContain('2 requirements: 1 tested, 1 without a test.');
    expect(page).toContain(
      [
        String.raw`- **a-1** (tested): One \<thing>.`,
        '  - [a](../../test/a.test.ts): works | always',
        '- **a-2** (no test): Two.',
      ].join('\n'),
    );
  });

  it('of the project are all tested', async () => {
    const all = await readRequirements();
    expect(requirementFaults(all, await readCoveringTests())).toEqual([]);
    const ids = all.flatMap(({ requirements }) => requirements.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(250);
  });
});

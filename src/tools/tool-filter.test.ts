import { describe, expect, it } from 'vitest';
import { matchesFilter, needsApproval, type ApprovalRule } from './tool-filter.ts';

const add = { name: 'add', annotations: { readOnlyHint: true } };
const remove = { name: 'remove' };

describe('a filter of tools', () => {
  it.each([
    [{}, true, true],
    [{ names: ['add'] }, true, false],
    [{ isReadOnly: true }, true, false],
    [{ isReadOnly: false }, false, true],
    [{ names: ['remove'], isReadOnly: true }, false, false],
    [{ names: [] }, false, false],
  ])('%o', (filter, matchesAdd, matchesRemove) => {
    expect(matchesFilter(filter, add)).toBe(matchesAdd);
    expect(matchesFilter(filter, remove)).toBe(matchesRemove);
  });

  it('takes only true for a hint', () => {
    const tool = { name: 'add', annotations: { readOnlyHint: 'yes' } };
    expect(matchesFilter({ isReadOnly: true }, tool)).toBe(false);
  });
});

describe('an approval', () => {
  it.each<[ApprovalRule | undefined, boolean, boolean]>([
    [undefined, false, false],
    ['never', false, false],
    ['always', true, true],
    [{}, true, true],
    [{ always: { names: ['remove'] } }, false, true],
    [{ never: { names: ['add'] } }, false, true],
    [{ never: { isReadOnly: true } }, false, true],
    [{ always: { names: ['add'] }, never: { names: ['add'] } }, true, true],
    [{ always: { names: ['other'] }, never: { names: ['add'] } }, false, true],
  ])('by %o', (rule, ofAdd, ofRemove) => {
    expect(needsApproval(rule, add)).toBe(ofAdd);
    expect(needsApproval(rule, remove)).toBe(ofRemove);
  });
});

import { describe, expect, it } from 'vitest';
import { chooseEntry, type EntryFacts } from './choose-entry.ts';

const idle: EntryFacts = { exists: true, isLoaded: true, hasFailedLately: false, waitSeconds: 0 };
const is = (facts: Partial<EntryFacts>): EntryFacts => ({ ...idle, ...facts });

const missing = is({ exists: false });
const cold = is({ isLoaded: false });
const slow = is({ waitSeconds: 11 });
const a = { model: 'a', maxWaitSeconds: 10 };
const b = { model: 'b', when: 'loaded' } as const;
const c = { model: 'c' };

describe('chooseEntry', () => {
  it.each([
    ['the first', [idle, idle, idle], 0, []],
    ['not one that is missing', [missing, idle, idle], 1, ['missing']],
    ['not one that is not loaded', [missing, cold, cold], 2, ['missing', 'not_loaded']],
    ['not one whose queue is longer', [slow, idle, idle], 1, ['busy']],
    ['one whose queue is as long', [is({ waitSeconds: 10 }), idle, idle], 0, []],
    ['one without a limit', [missing, missing, slow], 2, ['missing', 'missing']],
    [
      'not one that failed lately',
      [is({ hasFailedLately: true }), idle, idle],
      1,
      ['failed_lately'],
    ],
    ['not one that this request tried', [is({ outcome: 'failed' }), idle, idle], 1, ['failed']],
    [
      'not one that it was too long for',
      [is({ outcome: 'unsuited' }), cold, idle],
      2,
      ['unsuited', 'not_loaded'],
    ],
  ] as const)('takes %s', (_, facts, index, reasons) => {
    expect(chooseEntry([a, b, c], facts)).toEqual({
      index,
      isLastResort: false,
      passed: reasons.map((reason, each) => ({ index: each, reason })),
    });
  });

  it.each([
    [
      'a busy one',
      [slow, cold, missing],
      0,
      [
        { index: 1, reason: 'not_loaded' },
        { index: 2, reason: 'missing' },
      ],
    ],
    [
      'one that is not loaded',
      [is({ outcome: 'failed' }), cold, missing],
      1,
      [
        { index: 0, reason: 'failed' },
        { index: 2, reason: 'missing' },
      ],
    ],
    [
      'one whose queue it left',
      [is({ outcome: 'busy' }), is({ outcome: 'failed' }), missing],
      0,
      [
        { index: 1, reason: 'failed' },
        { index: 2, reason: 'missing' },
      ],
    ],
    [
      'one that failed lately',
      [missing, is({ outcome: 'unsuited' }), is({ hasFailedLately: true })],
      2,
      [
        { index: 0, reason: 'missing' },
        { index: 1, reason: 'unsuited' },
      ],
    ],
  ] as const)(
    'takes %s against its conditions if nothing else is left',
    (_, facts, index, passed) => {
      expect(chooseEntry([a, b, c], facts)).toEqual({ index, isLastResort: true, passed });
    },
  );

  it('takes none if all are missing or were tried', () => {
    expect(chooseEntry([a, b], [missing, is({ outcome: 'failed' })])).toBeUndefined();
    expect(chooseEntry([], [])).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { breakEvenAcceptance, pays, speculationGain } from './step-times.ts';

const cheap = { plainMs: 10, draftedMs: 20, draftLength: 12 };
const dear = { plainMs: 10, draftedMs: 82, draftLength: 12 };
const none = { completionTokens: 0, proposedTokens: 0, acceptedTokens: 0 };

describe('breakEvenAcceptance', () => {
  it('is the share of a draft that saves as many steps as the draft takes', () => {
    expect(breakEvenAcceptance(cheap)).toBeCloseTo(1 / 12);
    expect(breakEvenAcceptance(dear)).toBeCloseTo(0.6);
    const counts = { completionTokens: 82, proposedTokens: 120, acceptedTokens: 72 };
    expect(speculationGain(dear, counts)).toBeCloseTo(1);
  });

  it('is not negative where a measurement says that drafts take no time', () => {
    expect(breakEvenAcceptance({ ...cheap, draftedMs: 9 })).toBe(0);
  });
});

describe('speculationGain', () => {
  it('is 1 without drafts', () => {
    expect(speculationGain(dear, none)).toBe(1);
    expect(speculationGain(dear, { ...none, completionTokens: 50 })).toBe(1);
  });

  it('grows with each accepted token, and shrinks with a rejected draft', () => {
    const accepted = { completionTokens: 26, proposedTokens: 24, acceptedTokens: 24 };
    expect(speculationGain(cheap, accepted)).toBeCloseTo(26 / 4);
    const rejected = { completionTokens: 10, proposedTokens: 12, acceptedTokens: 0 };
    expect(speculationGain(dear, rejected)).toBeCloseTo(100 / 172);
  });
});

describe('pays', () => {
  it('drafts repeated text where three of five accepted tokens are enough', () => {
    expect(pays('ngram', cheap, none)).toBe(true);
    expect(pays('ngram', { ...dear, draftedMs: 81 }, none)).toBe(true);
    expect(pays('ngram', { ...dear, draftedMs: 84 }, none)).toBe(false);
  });

  it('drafts each step where an ordinary answer is faster by more than an error of the measurement', () => {
    const times = { plainMs: 10, draftedMs: 20, draftLength: 3 };
    const counts = { completionTokens: 24, proposedTokens: 36, acceptedTokens: 12 };
    expect(pays('mtp', times, counts)).toBe(false);
    expect(pays('mtp', { ...times, draftedMs: 19 }, counts)).toBe(true);
    expect(pays('draft', times, { ...counts, completionTokens: 32, acceptedTokens: 20 })).toBe(
      true,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { TooManyValuesError, ValueMeter } from './value-meter.ts';

const feed = (meter: ValueMeter, ...pieces: readonly string[]) => {
  for (const piece of pieces) meter.add(Buffer.from(piece));
};

describe('ValueMeter', () => {
  it.each([
    ['lists', '[[],[]]', 4],
    ['objects', '{"a":{},"b":1}', 3],
    ['strings', String.raw`["a,[{\",{\\","b"]`, 2],
  ])('counts %s up to a number', (_, json, values) => {
    expect(() => feed(new ValueMeter(values), json)).not.toThrow();
    expect(() => feed(new ValueMeter(values - 1), json)).toThrow(TooManyValuesError);
  });

  it('counts the same in any pieces', () => {
    const json = String.raw`["a,\"",[{}]]`;
    expect(() => feed(new ValueMeter(4), ...json.split(''))).not.toThrow();
    expect(() => feed(new ValueMeter(3), ...json.split(''))).toThrow(TooManyValuesError);
  });

  it('counts each message of an event stream apart, and all of other content together', () => {
    const events = 'id: "1\ndata: [[],\ndata: []]\n\n'.repeat(5);
    expect(() => feed(new ValueMeter(4, true), events)).not.toThrow();
    expect(() => feed(new ValueMeter(3, true), events)).toThrow(TooManyValuesError);
    expect(() => feed(new ValueMeter(4), '[[],\n\n[],\n\n[]]')).toThrow(TooManyValuesError);
    const lines = 'data: [1,2]\r\n\r\n'.repeat(5);
    expect(() => feed(new ValueMeter(2, true), lines)).not.toThrow();
  });
});

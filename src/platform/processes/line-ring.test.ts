import { expect, it } from 'vitest';
import { LineRing } from './line-ring.ts';

it('keeps the last lines, for any split into chunks', () => {
  const ring = new LineRing(2, 100);
  ring.append('one\ntw');
  ring.append('o\r\n\nthree\nfo');
  expect(ring.lines()).toEqual(['two', 'three', 'fo']);
});

it('is empty after clear', () => {
  const ring = new LineRing(2, 100);
  ring.append('one\ntw');
  ring.clear();
  ring.append('three');
  expect(ring.lines()).toEqual(['three']);
});

it('truncates long lines and bounds its memory', () => {
  const ring = new LineRing(2, 10);
  for (let count = 0; count < 1_000; count += 1) ring.append('x'.repeat(1_000));
  expect(ring.lines()).toEqual(['x'.repeat(10)]);
});

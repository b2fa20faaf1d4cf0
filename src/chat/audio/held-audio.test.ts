import { expect, it } from 'vitest';
import { AudioMemory } from './held-audio.ts';

const full = expect.objectContaining({ code: 'queue_full' });

it('lets a client hold half of the audio, and all clients the whole', () => {
  const memory = new AudioMemory(100);
  const [first, second] = [memory.open('a'), memory.open('a')];
  first.hold(20);
  second.hold(30);
  expect(() => first.hold(1)).toThrow(full);
  const other = memory.open('b');
  other.hold(50);
  const third = memory.open('c');
  expect(() => third.hold(1)).toThrow(full);
  second.release();
  second.release();
  third.hold(30);
  first.release();
  memory.open('a').hold(20);
  expect(() => third.hold(1)).toThrow(full);
});

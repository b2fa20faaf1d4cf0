import { expect, it } from 'vitest';
import { answerSpeed } from './answer-speed.ts';

// covers v0-chat-7
it.each<[string, number, number, number]>([
  ['the measured speed', 40, 9, 40],
  ['the whole time of one token', 0, 1, 2],
  ['none without tokens', 0, 0, 0],
])('tells %s', (_, tokensPerSecond, completionTokens, speed) => {
  const timings = { tokensPerSecond, timeToFirstTokenSeconds: 0.4, generationSeconds: 0.1 };
  expect(answerSpeed({ usage: { completionTokens }, timings })).toBe(speed);
});

it('tells no speed of an answer that took no time', () => {
  const timings = { tokensPerSecond: 0, timeToFirstTokenSeconds: 0, generationSeconds: 0 };
  expect(answerSpeed({ usage: { completionTokens: 1 }, timings })).toBe(0);
});

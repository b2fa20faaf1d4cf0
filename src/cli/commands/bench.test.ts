import { expect, it } from 'vitest';
import { benchPrompt, median, summarize, toRun, wordCountFor } from './bench.ts';

it('takes medians', () => {
  expect([median([]), median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([0, 2, 2.5]);
  const run = toRun({
    input_tokens: 100,
    total_output_tokens: 20,
    reasoning_output_tokens: 0,
    tokens_per_second: 40,
    time_to_first_token_seconds: 0.5,
  });
  expect(run).toMatchObject({ promptSpeed: 200, outputSpeed: 40 });
  const slow = { ...run, outputSpeed: 10, firstTokenSeconds: 9 };
  expect(summarize([run, slow, run])).toMatchObject({ outputSpeed: 40, firstTokenSeconds: 0.5 });
  expect(summarize([{ ...run, outputSpeed: null }]).outputSpeed).toBeNull();
});

it('begins the prompt of each run differently, so that none is cached', () => {
  const [one, two] = [benchPrompt(100, 1), benchPrompt(100, 2)];
  expect(one.slice(0, 5)).not.toBe(two.slice(0, 5));
  expect(one.split(' ').length).toBeGreaterThan(80);
});

it('chooses the number of words by the tokenizer of the model', () => {
  const [short, long] = [
    { wordCount: 8, tokens: 36 },
    { wordCount: 72, tokens: 196 },
  ];
  expect(wordCountFor(516, short, long)).toBe(200);
  expect(wordCountFor(1, short, long)).toBe(1);
});

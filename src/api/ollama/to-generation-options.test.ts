import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import {
  toContextLength,
  toGenerationOptions,
  toReasoning,
  toResponseFormat,
} from './to-generation-options.ts';

it('maps the options of the answer and ignores those of the runner', () => {
  const options = {
    temperature: 0.5,
    top_k: 20,
    top_p: 0.9,
    min_p: 0.1,
    repeat_penalty: 1.1,
    repeat_last_n: -1,
    presence_penalty: 0.2,
    frequency_penalty: 0.3,
    seed: 7,
    num_predict: 100,
    stop: ['a', ''],
    num_gpu: 99,
    mirostat: 0,
    typical_p: 1,
  };
  expect(toGenerationOptions({ options, logprobs: true, top_logprobs: 3 })).toEqual({
    sampling: {
      temperature: 0.5,
      topK: 20,
      topP: 0.9,
      minP: 0.1,
      repeatPenalty: 1.1,
      repeatLastTokens: -1,
      presencePenalty: 0.2,
      frequencyPenalty: 0.3,
      seed: 7,
    },
    maxOutputTokens: 100,
    stop: ['a'],
    topLogprobs: 3,
  });
  expect(toGenerationOptions({ options: null })).toEqual({ sampling: {}, stop: [] });
});

it.each([
  [-1, 2 ** 31 - 1],
  [-2, 2 ** 31 - 1],
  [null, undefined],
  [0, 1],
  [5, 5],
])('takes num_predict %d as %s', (numPredict, maxOutputTokens) => {
  const options = toGenerationOptions({ options: { num_predict: numPredict, stop: 'x' } });
  expect([options.maxOutputTokens, options.stop]).toEqual([maxOutputTokens, ['x']]);
});

it.each(['mirostat', 'typical_p', 'tfs_z'])('refuses %s', (name) => {
  expect(() => toGenerationOptions({ options: { [name]: 0.5 } })).toThrow(
    expect.objectContaining({ code: 'invalid_value', param: name }),
  );
});

it('limits num_ctx to the context of the model', () => {
  const model = modelEntry({ maxContextLength: 4096 });
  expect(toContextLength({ num_ctx: 2048 }, model)).toEqual({ contextLength: 2048 });
  expect(toContextLength({ num_ctx: 131_072 }, model)).toEqual({ contextLength: 4096 });
  expect(toContextLength({}, model)).toEqual({});
});

describe('think', () => {
  const levels = modelEntry({
    reasoning: { allowedOptions: ['low', 'medium', 'high'], default: 'medium' },
  });
  const onOrOff = modelEntry({ reasoning: { allowedOptions: ['off', 'on'], default: 'on' } });
  const offByDefault = modelEntry({ reasoning: { allowedOptions: ['off', 'on'], default: 'off' } });
  const none = modelEntry({ reasoning: null });

  it.each([
    ['levels', levels, true, 'medium'],
    ['levels', levels, 'high', 'high'],
    ['levels', levels, 'max', 'high'],
    ['levels', levels, undefined, undefined],
    ['on or off', onOrOff, true, 'on'],
    ['on or off', onOrOff, 'low', 'on'],
    ['on or off', onOrOff, false, 'off'],
    ['off by default', offByDefault, true, 'on'],
    // The turn refuses this level later, since the model can't reason.
    ['none', none, true, 'medium'],
    ['none', none, false, undefined],
  ] as const)('with a model of %s, %s', (_, model, think, level) => {
    expect(toReasoning(think, model)).toBe(level);
  });
});

it.each([
  [undefined, undefined],
  ['', undefined],
  ['json', { type: 'json_object' }],
  [{ type: 'object' }, { type: 'json_schema', schema: { type: 'object' } }],
] as const)('takes the format %j', (format, expected) => {
  expect(toResponseFormat(format)).toEqual(expected);
});

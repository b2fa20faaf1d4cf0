import { expect, it } from 'vitest';
import * as z from 'zod';
import { v0GenerationFields } from './sampling-schema.ts';
import { toGenerationOptions } from './to-generation-options.ts';

const schema = z.looseObject(v0GenerationFields);
const optionsOf = (body: object) => toGenerationOptions(schema.parse(body));

it('takes the names and values of vLLM', () => {
  expect(optionsOf({ repetition_penalty: 1.3 }).sampling).toEqual({ repeatPenalty: 1.3 });
  expect(optionsOf({ repetition_penalty: 1.3, repeat_penalty: 1.1 }).sampling).toEqual({
    repeatPenalty: 1.1,
  });
  expect(optionsOf({ top_k: -1 }).sampling).toEqual({ topK: 0 });
  expect(schema.safeParse({ top_k: -2 }).success).toBe(false);
});

it.each([
  ['ignore_eos', true, false],
  ['min_tokens', 8, 0],
  ['stop_token_ids', [2], []],
  ['include_stop_str_in_output', true, false],
  ['allowed_token_ids', [5], []],
  ['bad_words', ['sea'], []],
  ['prompt_logprobs', 1, null],
  ['truncate_prompt_tokens', 16, -1],
  ['use_beam_search', true, false],
  ['prompt_embeds', 'AAAA', null],
  ['lora', [{ id: 0, scale: 1 }], []],

  ['mirostat', 2, 0],
  ['typical_p', 0.5, 1],
  ['dynatemp_range', 0.5, 0],
  ['xtc_probability', 0.5, 0],
  ['dry_multiplier', 0.8, 0],
  ['top_n_sigma', 1, -1],
])('refuses %s unless it changes nothing', (name, value, harmless) => {
  expect(() => optionsOf({ [name]: value })).toThrow(`\`${name}\``);
  expect(() => optionsOf({ [name]: harmless })).not.toThrow();
  expect(() => optionsOf({ [name]: null })).not.toThrow();
});

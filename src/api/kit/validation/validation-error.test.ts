import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { v0ChatRequestSchema } from '../../openai/v0/chat-completion-schema.ts';
import { chatRequestSchema } from '../../v1/chat/chat-schema.ts';
import { loadRequestSchema } from '../../v1/models/model-schema.ts';
import { validate } from './validation-error.ts';

function faultOf(schema: z.ZodType, value: unknown) {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof HearthError) {
      return { code: error.code, param: error.param, message: error.message };
    }
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('v1 chat', () => {
  const of = (fields: object) => faultOf(chatRequestSchema, { model: 'm', input: 'hi', ...fields });

  it.each([
    [
      { model: undefined },
      'missing_required_parameter',
      'model',
      '"model" is required; it must be a string.',
    ],
    [{ model: null }, 'invalid_type', 'model', '"model" must be a string, not null.'],
    [{ model: '' }, 'invalid_value', 'model', '"model" must be at least 1 character long, not "".'],
    [
      { input: undefined },
      'missing_required_parameter',
      'input',
      '"input" is required; it must be a string or an array.',
    ],
    [{ input: 5 }, 'invalid_type', 'input', '"input" must be a string or an array, not 5.'],
    [
      { input: [] },
      'invalid_value',
      'input',
      '"input" must be at least 1 item long, not an array of 0 items.',
    ],
    [{ input: [5] }, 'invalid_type', 'input[0]', '"input[0]" must be an object, not 5.'],
    [
      { input: [{ type: 'text', content: 'a' }, { type: 'texxt' }] },
      'invalid_value',
      'input[1].type',
      '"input[1].type" must be one of "text", "message", "image", "audio", not "texxt".',
    ],
    [
      { input: [{ content: 'a' }] },
      'missing_required_parameter',
      'input[0].type',
      '"input[0].type" is required; it must be one of "text", "message", "image", "audio".',
    ],
    [
      { input: [{ type: 'image', data_url: 7 }] },
      'invalid_type',
      'input[0].data_url',
      '"input[0].data_url" must be a string, not 7.',
    ],
    [
      { input: [{ type: 'image', data_url: 'a', url: 'b' }] },
      'unrecognized_keys',
      'input[0].url',
      '"input[0].url" is not a known field. Known are: type, data_url.',
    ],
    [
      { temperature: 1.5 },
      'invalid_value',
      'temperature',
      '"temperature" must be at most 1, not 1.5.',
    ],
    [
      { temperature: '1' },
      'invalid_type',
      'temperature',
      '"temperature" must be a number, not "1".',
    ],
    [{ top_k: 1.5 }, 'invalid_type', 'top_k', '"top_k" must be an integer, not 1.5.'],
    [
      { top_k: 1e20 },
      'invalid_value',
      'top_k',
      '"top_k" is 100000000000000000000. It must be at most 1000000.',
    ],
    [
      { top_k: -1e20 },
      'invalid_value',
      'top_k',
      '"top_k" is -100000000000000000000. It must be at least 0.',
    ],
    [
      { context_length: 2 ** 31 },
      'invalid_value',
      'context_length',
      '"context_length" must be at most 2147483647, not 2147483648.',
    ],
    [
      { repeat_penalty: 0 },
      'invalid_value',
      'repeat_penalty',
      '"repeat_penalty" must be at least 0.01, not 0.',
    ],
    [
      { reasoning: 'max' },
      'invalid_value',
      'reasoning',
      '"reasoning" must be one of "off", "low", "medium", "high", "on", not "max".',
    ],
    [{ stream: 'yes' }, 'invalid_type', 'stream', '"stream" must be true or false, not "yes".'],
    [
      { previous_response_id: 'chatcmpl-1' },
      'invalid_value',
      'previous_response_id',
      '"previous_response_id" must be a text that starts with "resp_", not "chatcmpl-1".',
    ],
    [
      { integrations: ['files'] },
      'invalid_value',
      'integrations[0]',
      '"integrations[0]" is "files". A plugin id has the form mcp/<server_label>.',
    ],
    [
      {
        integrations: [
          { type: 'ephemeral_mcp', server_label: 'a', server_url: 'file:///etc/passwd' },
        ],
      },
      'invalid_value',
      'integrations[0].server_url',
      '"integrations[0].server_url" must be an http or https URL, not "file:///etc/passwd".',
    ],
  ])('%o', (fields, code, param, message) => {
    expect(of(fields)).toEqual({ code, param, message });
  });

  it('guesses what an unknown field was meant to be', () => {
    const { code, param, message } = of({ temprature: 0.5 });
    expect([code, param]).toEqual(['unrecognized_keys', 'temprature']);
    expect(message).toContain('Did you mean "temperature"?');
    expect(message).toContain('max_output_tokens');
  });

  it('names the body where all of it is wrong', () => {
    expect(faultOf(chatRequestSchema, [1])).toEqual({
      code: 'invalid_type',
      param: undefined,
      message: 'The request must be an object, not an array of 1 item.',
    });
  });

  it('stays short whatever is sent', () => {
    const huge = 'x'.repeat(5_000_000);
    for (const fields of [
      { model: huge },
      { reasoning: huge },
      { [huge]: 1 },
      { input: [{ type: huge }] },
    ]) {
      const { message, param } = of(fields);
      expect(message.length + (param ?? '').length).toBeLessThan(1000);
    }
    expect(of({ model: huge }).message).toContain('(5000000 characters)');
  });

  it('takes a prototype for a field like any other', () => {
    const body: unknown = JSON.parse('{"model":"m","input":"a","__proto__":{"store":true}}');
    expect(faultOf(chatRequestSchema, body)).toMatchObject({
      code: 'unrecognized_keys',
      param: '__proto__',
    });
  });
});

describe('v0 chat', () => {
  const of = (fields: object) => faultOf(v0ChatRequestSchema, { messages: [], ...fields });
  const content = (value: unknown) => ({ messages: [{ role: 'user', content: value }] });

  it.each([
    [{}, 'invalid_value', 'messages', 'at least 1 item'],
    [
      { messages: [{ role: 'robot' }] },
      'invalid_value',
      'messages[0].role',
      '"system", "developer", "user"',
    ],
    [
      content(undefined),
      'missing_required_parameter',
      'messages[0].content',
      'a string or an array',
    ],
    [content(5), 'invalid_type', 'messages[0].content', 'a string or an array'],
    [
      content([{ type: 'audio' }]),
      'invalid_value',
      'messages[0].content[0].type',
      '"text", "image_url"',
    ],
    [
      content([{ type: 'text' }]),
      'missing_required_parameter',
      'messages[0].content[0].text',
      'a string',
    ],
    [
      { ...content('a'), tool_choice: 'maybe' },
      'invalid_value',
      'tool_choice',
      '"auto", "none", "required"',
    ],
    [
      { ...content('a'), tool_choice: { type: 'x' } },
      'invalid_value',
      'tool_choice.type',
      '"function"',
    ],
    [
      { ...content('a'), tool_choice: 5 },
      'invalid_type',
      'tool_choice',
      'one of "auto", "none", "required" or an object',
    ],
    [
      { ...content('a'), logit_bias: { 'a b': 1 } },
      'invalid_value',
      'logit_bias["a b"]',
      String.raw`"logit_bias" has the key "a b"; its keys must be a text of the form /^\d{1,9}$/.`,
    ],
    [{ ...content('a'), logit_bias: { 1: 'x' } }, 'invalid_type', 'logit_bias.1', 'a number'],
    [{ ...content('a'), stop: ['a', 5] }, 'invalid_type', 'stop[1]', 'a string'],
    [
      { ...content('a'), max_tokens: 0 },
      'invalid_value',
      'max_tokens',
      '"max_tokens" is 0. It must be -1 or at least 1.',
    ],
    [
      { ...content('a'), response_format: { type: 'xml' } },
      'invalid_value',
      'response_format.type',
      '"json_object"',
    ],
  ])('%o', (fields, code, param, allowed) => {
    const fault = of(fields);
    expect([fault.code, fault.param]).toEqual([code, param]);
    expect(fault.message).toContain(allowed);
  });
});

it('names query parameters by the text that was sent', () => {
  const schema = z.object({ limit: z.coerce.number().int().max(100) });
  expect(faultOf(schema, { limit: 'ten' }).message).toBe('"limit" must be a number, not "ten".');
  expect(faultOf(schema, { limit: '500' }).message).toBe('"limit" must be at most 100, not "500".');
});

it('gives defaults', () => {
  expect(validate(loadRequestSchema, { model: 'm' })).toEqual({ model: 'm' });
});

import { describe, expect, it } from 'vitest';
import { HearthError } from '../kernel/errors/errors.ts';
import { nameV0Field, v0Errors } from './openai/errors.ts';
import { nameV1Field, v1Errors } from './v1/errors.ts';

describe('a field of the domain', () => {
  // covers error-18
  it.each([
    ['model', 'model', 'model'],
    ['previousResponseId', 'previous_response_id', 'previous_response_id'],
    ['messages', 'input', 'messages'],
    ['messages[0].content', 'input', 'messages[0].content'],
    ['messages[0].content[2]', 'input[2].data_url', 'messages[0].content[2].image_url'],
    ['integrations[1].serverUrl', 'integrations[1].server_url', 'integrations[1].server_url'],
    [
      'integrations[0].headers["X-Api-Key"]',
      'integrations[0].headers["X-Api-Key"]',
      'integrations[0].headers["X-Api-Key"]',
    ],
    ['responseFormat.schema', 'response_format.schema', 'response_format.json_schema.schema'],
  ])('%s is %s in v1 and %s in v0', (field, v1, v0) => {
    expect([nameV1Field(field), nameV0Field(field)]).toEqual([v1, v0]);
  });
});

describe('an error', () => {
  const notStored = new HearthError(
    'invalid_value',
    (name) => `"${name('previousResponseId')}" is not stored.`,
    { field: 'previousResponseId' },
  );

  it('names fields as its API does', () => {
    expect(v1Errors.serialize(notStored)).toEqual({
      status: 400,
      headers: {},
      body: {
        error: {
          type: 'invalid_request',
          message: '"previous_response_id" is not stored.',
          code: 'invalid_value',
          param: 'previous_response_id',
        },
      },
    });
  });

  it('has the parameter that was validated rather than a field', () => {
    const error = new HearthError('invalid_value', 'No.', { param: 'input[0]', field: 'model' });
    expect(v1Errors.serialize(error).body.error.param).toBe('input[0]');
    expect(v0Errors.serialize(error).body.error.param).toBe('input[0]');
  });

  it('has the headers of its code, and null for what OpenAI clients expect', () => {
    const busy = new HearthError('queue_full', 'Wait.', { retryAfterSeconds: 1.2 });
    expect(v0Errors.serialize(busy)).toMatchObject({
      headers: { 'Retry-After': '2' },
      body: { error: { param: null, code: 'queue_full' } },
    });
    const unauthorized = new HearthError('invalid_api_key', 'No.');
    expect(v1Errors.serialize(unauthorized).headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
  });
});

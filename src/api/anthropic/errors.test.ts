import { expect, it } from 'vitest';
import { anthropicErrorBodySchema, anthropicErrors, nameAnthropicField } from './errors.ts';
import { errorTable, HearthError, type ErrorCode } from '../../kernel/errors/errors.ts';

it.each<[ErrorCode, number, string]>([
  ['invalid_value', 400, 'invalid_request_error'],
  ['invalid_api_key', 401, 'authentication_error'],
  ['forbidden', 403, 'permission_error'],
  ['model_not_found', 404, 'not_found_error'],
  ['not_found', 404, 'not_found_error'],
  ['method_not_allowed', 405, 'invalid_request_error'],
  ['body_too_large', 413, 'request_too_large'],
  ['queue_full', 429, 'rate_limit_error'],
  ['internal', 500, 'api_error'],
  ['crashed', 500, 'api_error'],
  ['corrupt_file', 500, 'api_error'],
  ['model_loading', 529, 'overloaded_error'],
  ['out_of_memory', 529, 'overloaded_error'],
  ['shutting_down', 529, 'overloaded_error'],
])('%s has the status %i and the type %s', (code, status, type) => {
  const serialized = anthropicErrors.serialize(new HearthError(code, 'No.'), 'request-1');
  expect(serialized.status).toBe(status);
  expect(serialized.body).toEqual({
    type: 'error',
    error: { type, message: 'No.', details: { error_code: code } },
    request_id: 'request-1',
  });
  expect(serialized.headers['X-Should-Retry']).toBe(String(errorTable[code].retryable));
});

it('has a type for every error', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { body, status } = anthropicErrors.serialize(new HearthError(code, 'No.'));
    anthropicErrorBodySchema.parse(body);
    expect([400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 529]).toContain(status);
  }
});

it('names the field in the message, once', () => {
  const messageOf = (error: HearthError) => anthropicErrors.serialize(error).body.error.message;
  const field = 'maxOutputTokens';
  expect(messageOf(new HearthError('invalid_value', 'Too many.', { field }))).toBe(
    'max_tokens: Too many.',
  );
  expect(
    messageOf(new HearthError('invalid_value', (name) => `${name(field)} is wrong.`, { field })),
  ).toBe('max_tokens is wrong.');
});

it.each([
  [false, 'prompt is too long: 5000 tokens > 4096 maximum'],
  [true, 'prompt is too long: at least 5000 tokens > 4096 maximum'],
])('says how long a prompt is, a lower bound: %s', (isLowerBound, message) => {
  const error = new HearthError('context_length_exceeded', 'The prompt has 5000 tokens.', {
    promptSize: { tokens: 5000, isLowerBound, maxTokens: 4096 },
  });
  expect(anthropicErrors.serialize(error).body.error.message).toBe(message);
});

it.each([
  ['clientTools[1].name', 'tools[1].name'],
  ['responseFormat.schema', 'output_config.format.schema'],
  ['toolChoice', 'tool_choice'],
  ['maxOutputTokens', 'max_tokens'],
  ['stop', 'stop_sequences'],
  ['reasoning', 'thinking'],
  ['model', 'model'],
])('%s is %s', (field, name) => {
  expect(nameAnthropicField(field)).toBe(name);
});

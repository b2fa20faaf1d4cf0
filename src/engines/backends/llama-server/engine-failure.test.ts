import { expect, it } from 'vitest';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { ConnectionLostError } from '../../../platform/net/engine-connection.ts';
import { connectionFailure } from '../wire/engine-client.ts';
import { replyFailure } from './engine-failure.ts';

it.each([
  [
    400,
    { type: 'exceed_context_size_error', message: 'x', n_prompt_tokens: 16_008, n_ctx: 4096 },
    'context_length_exceeded',
    'The prompt has 16008 tokens; the context of the model holds 4096.',
  ],
  [
    500,
    {
      type: 'server_error',
      message:
        'input (1602 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
    },
    'context_length_exceeded',
    'An input has 1602 tokens; the context of the model holds 512.',
  ],
  [
    500,
    { message: 'input (600 tokens) is larger than the max context size (512 tokens). skipping' },
    'context_length_exceeded',
    'An input has 600 tokens; the context of the model holds 512.',
  ],
  [
    500,
    { code: 500, type: 'server_error', message: 'Context size has been exceeded.' },
    'internal',
    'The cache of the model was full, since other answers need it too. Repeat the request.',
  ],
  [501, { message: 'Infill is not supported by this model: …' }, 'infill_unsupported', 'suffix'],
  [500, { message: 'image input is not supported - hint: …' }, 'vision_unsupported', 'images'],
  [400, { message: 'Failed to load image or audio file' }, 'invalid_image', 'image'],
  [501, { message: 'This server does not support embeddings. …' }, 'wrong_model_type', 'text'],
  [400, { message: 'JSON schema error at #' }, 'invalid_value', 'JSON schema error at #'],
  [
    500,
    { message: 'The model produced output that does not match the expected peg-native format' },
    'invalid_output',
    'cannot be parsed. Repeat the request',
  ],
  [500, { message: 'Failed to parse input at pos 7: <tool' }, 'invalid_output', 'cannot be parsed'],
  [500, { message: 'Compute error.' }, 'internal', 'Compute error.'],
  [500, { message: 5, code: '500' }, 'internal', 'The engine failed: no reason given'],
  [500, 'Compute error.', 'internal', 'The engine failed: Compute error.'],
] as const)('%i %j is %s', (status, error, code, message) => {
  const failure = replyFailure({ status, body: { error } });
  expect(failure.code).toBe(code);
  expect(failure.message).toContain(message);
});

it('names the context of a text where the batch of the engine is larger', () => {
  const message =
    'input (4099 tokens) is too large to process. increase the physical batch size (current batch size: 4098)';
  expect(replyFailure({ status: 500, body: { error: { message } } }, 4096).message).toBe(
    'An input has 4099 tokens; the context of the model holds 4096.',
  );
});

it('reports the status of a response that is not JSON', () => {
  expect(replyFailure({ status: 502, body: undefined })).toMatchObject({
    code: 'internal',
    message: 'The engine returned status 502.',
  });
});

it('treats only a lost connection as a crash', () => {
  expect(connectionFailure(new ConnectionLostError('gone'))).toMatchObject({ code: 'crashed' });
  const other = new HearthError('internal', 'x');
  expect(connectionFailure(other)).toBe(other);
});

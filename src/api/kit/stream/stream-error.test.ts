import { expect, it } from 'vitest';
import { testContext } from '../../../../test/setup/test-context.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { toStreamError } from './stream-error.ts';

const failure = new Error('broken');

it('passes on errors of the domain, and hides others', () => {
  const error = new HearthError('conflict', 'Busy.');
  expect(toStreamError(error, testContext())).toBe(error);
  expect(toStreamError(failure, testContext()).code).toBe('internal');
});

it('says why the server ended the request', () => {
  const reason = new HearthError('shutting_down', 'The server is stopping.');
  expect(toStreamError(failure, testContext({ signal: AbortSignal.abort(reason) }))).toBe(reason);
});

it('throws what ended because the client has left', () => {
  const context = testContext({ signal: AbortSignal.abort() });
  expect(() => toStreamError(failure, context)).toThrow(failure);
});

import { expect, it } from 'vitest';
import { breaksConnection, transientReason, StoreUnavailableError } from './failure.ts';

const failure = (code: string, message = 'x') => Object.assign(new Error(message), { code });

it.each([
  ['57P01', 'its server is stopping', true],
  ['57P03', 'its server is starting', true],
  ['08006', 'the connection was lost', true],
  ['25006', 'the database is read-only, as a standby is', true],
  ['57014', 'a statement took too long', false],
  ['53300', 'it has too many connections', false],
  ['40P01', 'other transactions were in the way', false],
  ['ECONNREFUSED', 'no server accepts connections there', true],
  ['EPIPE', 'the connection was lost', true],
  ['ETIMEDOUT', 'its server does not respond', true],
])('takes the code %s for a state that passes', (code, reason, isBroken) => {
  expect(transientReason(failure(code))).toBe(reason);
  expect(breaksConnection(failure(code))).toBe(isBroken);
});

it.each([
  ['Connection terminated unexpectedly', 'the connection was lost', true],
  ['Connection terminated due to connection timeout', 'the connection was lost', true],
  ['timeout exceeded when trying to connect', 'no connection became free in time', true],
  ['Query read timeout', 'its server does not respond', true],
])('knows the message %j of the driver', (message, reason, isBroken) => {
  expect(transientReason(new Error(message))).toBe(reason);
  expect(breaksConnection(new Error(message))).toBe(isBroken);
});

it.each(['23505', '23503', '22021', '53100', '42P01'])('does not translate the code %s', (code) => {
  expect(transientReason(failure(code))).toBeUndefined();
  expect(breaksConnection(failure(code))).toBe(false);
});

it('is a 503 with the time to wait', () => {
  const cause = failure('57P01', 'terminating connection, host=secret');
  const error = new StoreUnavailableError('its server is stopping', cause);
  expect(error).toMatchObject({ code: 'store_unavailable', status: 503, retryAfterSeconds: 5 });
  expect(error.message).toBe('The database is not available: its server is stopping.');
  expect(error.cause).toBe(cause);
});

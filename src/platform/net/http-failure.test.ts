import { expect, it } from 'vitest';
import { AddressRefused } from './address-policy.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';

const { signal } = new AbortController();
const convert = (error: unknown, isRedirected?: boolean) =>
  toHttpFailure(error, 'unreachable', "hub.test can't be reached", {
    signal,
    ...(isRedirected === undefined ? {} : { isRedirected }),
  });
const coded = (code: string) => Object.assign(new Error('of the system'), { code });

it('throws the reason of an aborted signal for any failure', () => {
  const reason = new Error('stopped');
  const aborted = { signal: AbortSignal.abort(reason) };
  expect(toHttpFailure(new HttpFailure('status', ''), 'unreachable', '', aborted)).toBe(reason);
});

it('keeps a failure unchanged', () => {
  const failure = new HttpFailure('too_large', 'too large');
  expect(convert(failure)).toBe(failure);
  expect(failure).toMatchObject({
    name: 'HttpFailure',
    status: undefined,
    headers: {},
    isRedirected: false,
  });
});

it.each([
  [coded('ECONNREFUSED'), 'unreachable', "hub.test can't be reached (ECONNREFUSED)"],
  [new Error('no code'), 'unreachable', "hub.test can't be reached"],
  [
    coded('UND_ERR_CONNECT_TIMEOUT'),
    'timeout',
    "hub.test can't be reached (UND_ERR_CONNECT_TIMEOUT)",
  ],
  [coded('ETIMEDOUT'), 'timeout', "hub.test can't be reached (ETIMEDOUT)"],
  [coded('TIMEOUT_ELSEWHERE'), 'unreachable', "hub.test can't be reached (TIMEOUT_ELSEWHERE)"],
])('reports for %o that the host is %s', (error, reason, message) => {
  const failure = convert(error);
  expect(failure).toBeInstanceOf(HttpFailure);
  expect(failure).toMatchObject({ reason, message, cause: error, isRedirected: false });
});

it('reports why an address is refused, and which', () => {
  const error = new AddressRefused('intranet.test');
  expect(convert(error, true)).toMatchObject({
    reason: 'refused',
    message: 'intranet.test is not at a public address',
    cause: error,
    isRedirected: true,
  });
});

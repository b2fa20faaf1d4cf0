import { expect, it } from 'vitest';
import { SignInLimit } from './sign-in-limit.ts';

it('refuses a client after ten failures, for as long as the message says', () => {
  let timeMs = 1000;
  const limit = new SignInLimit(() => timeMs);
  for (let count = 0; count < 10; count += 1) {
    limit.check('a');
    limit.addFailure('a');
  }
  expect(() => limit.check('a')).toThrow('Try again in 6 s.');
  expect(() => limit.check('b')).not.toThrow();
  timeMs += 6000;
  limit.check('a');
  limit.addFailure('a');
  expect(() => limit.check('a')).toThrow('Too many attempts');
  timeMs += 60_000;
  limit.check('a');
});

it('forgets the clients that failed longest ago', () => {
  const limit = new SignInLimit(() => 1000);
  const fail = (client: string) => {
    for (let count = 0; count < 10; count += 1) limit.addFailure(client);
  };
  fail('first');
  for (let index = 0; index < 999; index += 1) limit.addFailure(`client ${index}`);
  expect(() => limit.check('first')).toThrow('Too many attempts');
  limit.addFailure('another');
  expect(() => limit.check('first')).not.toThrow();
});

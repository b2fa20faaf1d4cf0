import { expect, it } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { describeFailure, isUnexpected } from './describe-failure.ts';

const answered = (status: number) =>
  new HttpFailure('status', `the hub answered ${status}`, { status });
const again = 'Ask for the download again; it continues where it stopped.';

it.each([
  [
    401,
    'gated_repository',
    `The hub does not allow this account to download the file (401). Set hub.token to a token of an account that has agreed to the terms of the repository, then: ${again}`,
  ],
  [
    403,
    'gated_repository',
    `The hub does not allow this account to download the file (403). Set hub.token to a token of an account that has agreed to the terms of the repository, then: ${again}`,
  ],
  [
    404,
    'model_not_found',
    'The hub no longer has a file of this download (404). Cancel it and download the model again.',
  ],
  [
    410,
    'model_not_found',
    'The hub no longer has a file of this download (410). Cancel it and download the model again.',
  ],
  [500, 'hub_unreachable', `The download was interrupted: the hub answered 500. ${again}`],
])('explains the status %i', (status, code, message) => {
  const failure = answered(status);
  expect(describeFailure(failure)).toMatchObject({ code, message });
  expect(isUnexpected(failure)).toBe(false);
});

it('keeps a HearthError', () => {
  const error = new HearthError('checksum_mismatch', 'The content is wrong.');
  const { type } = error;
  expect(describeFailure(error)).toEqual({
    type,
    code: 'checksum_mismatch',
    message: 'The content is wrong.',
  });
  expect(isUnexpected(error)).toBe(false);
});

it('names the code of a file system error, without a path', () => {
  const error = Object.assign(new Error('EACCES: /home/me/models'), { code: 'EACCES' });
  expect(describeFailure(error)).toEqual({
    type: 'internal_error',
    code: 'internal',
    message: `The files could not be written to the models folder (EACCES). Check that Hearth may write to it, then: ${again}`,
  });
  expect(isUnexpected(error)).toBe(true);
});

it('refers to the log for an internal error', () => {
  const error = new TypeError('x is undefined');
  expect(describeFailure(error)).toMatchObject({
    code: 'internal',
    message: `The download stopped because of a bug in Hearth; the log of the server has the details. ${again}`,
  });
  expect(isUnexpected(error)).toBe(true);
});

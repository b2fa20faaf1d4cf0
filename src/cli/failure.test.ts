import { readFile, rename } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiError } from './client/client-error.ts';
import { describeFailure, describeSystemError, systemErrorRemedy } from './failure.ts';

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('It did not fail.'),
    (error: unknown) => error as Error,
  );

describe('describeSystemError', () => {
  it('names the path without the code', async () => {
    const missing = join(homedir(), 'no-such-folder/a.gguf');
    expect(describeSystemError(await failureOf(readFile(missing)))).toBe(
      'File or folder not found: ~/no-such-folder/a.gguf',
    );
    expect(describeSystemError(await failureOf(readFile(tmpdir())))).toBe(
      'Expected a file, found a folder',
    );
    expect(describeSystemError(await failureOf(rename('/no-such-a', '/no-such-b')))).toBe(
      'File or folder not found: /no-such-a → /no-such-b',
    );
  });

  it('describes rare errors in the words of the system', () => {
    const error = Object.assign(new Error('ELOOP: x'), { errno: -40, code: 'ELOOP', path: '/a' });
    expect(describeSystemError(error)).toMatch(/^Too many symbolic links.*: \/a$/);
  });

  it('describes the errors of SQLite alike', () => {
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    expect(describeSystemError(full)).toBe('No space left on the disk');
    expect(systemErrorRemedy(full)).toMatch(/^Free some space/);
  });

  it('leaves other errors alone', () => {
    expect(describeSystemError(new Error('Broken.'))).toBeUndefined();
    expect(systemErrorRemedy(new Error('Broken.'))).toBeUndefined();
    expect(
      describeSystemError(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' })),
    ).toBeUndefined();
  });
});

it('has a remedy for each error of the system', () => {
  const error = Object.assign(new Error('ELOOP: x'), { errno: -40, code: 'ELOOP', path: '/a' });
  expect(systemErrorRemedy(error)).toContain('`hearth doctor`');
});

it('says how a command passes the token that a server requires', () => {
  const error = new ApiError({ type: 'invalid_request', message: 'No.', code: 'invalid_api_key' });
  expect(describeFailure(error)).toBe(
    'No. Pass a token to the command with --token or HEARTH_TOKEN.',
  );
});

import { homedir, tmpdir } from 'node:os';
import { expect } from 'vitest';
import { errorTable, type ErrorCode } from '../../../src/kernel/errors/errors.ts';
import { projectFolder } from '../project-folder.ts';
import type { ApiAnswer } from './api.ts';

interface ExpectedError {
  readonly code: ErrorCode;
  /** Text that the message must contain: the wrong value and the allowed ones. */
  readonly message: RegExp | string;
  readonly param?: string;
  /** True for v0, which has OpenAI's error body. */
  readonly isV0?: boolean;
}

/** Folders that a message must not contain, except for the home folder, which is inside the last one. */
const privateFolders = [projectFolder, homedir(), tmpdir()];

/** Checks the status for the code, the headers of every error, and the body in the API's format. */
export function expectError(answer: ApiAnswer, expected: ExpectedError): void {
  const { status, headers, body } = answer;
  expect({ status, code: body.error?.code }, JSON.stringify(body)).toEqual({
    status: errorTable[expected.code].status,
    code: expected.code,
  });
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
  // If an answer can't be stored, the error contains it.
  expect(Object.keys(body)).toEqual(
    expected.code === 'storage_failed' ? ['error', 'result'] : ['error'],
  );
  expectErrorFields(body.error, expected);
}

/** Checks the fields of an error in a body or a stream event. */
export function expectErrorFields(error: unknown, expected: ExpectedError): void {
  const { code, param, isV0 = false, message } = expected;
  expect(error).toEqual({
    type: errorTable[code].type,
    code,
    message:
      typeof message === 'string'
        ? expect.stringContaining(message)
        : expect.stringMatching(message),
    ...(isV0 ? { param: param ?? null } : {}),
    ...(param === undefined ? {} : { param }),
    ...(code === 'model_loading' ? { loading: { progress: expect.any(Number) } } : {}),
  });
  const shown = String((error as { message: unknown }).message);
  expect(shown).not.toMatch(/\n\s+at |node:internal|node_modules/);
  const withoutHome = shown.replaceAll(/\/\S*hearth-test-\w+/g, '');
  for (const folder of privateFolders) expect(withoutHome).not.toContain(folder);
}

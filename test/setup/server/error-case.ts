import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/kernel/errors/errors.ts';
import { toAnswer } from './api.ts';
import { expectError } from './expect-error.ts';

/** A request that must fail, with the expected error. */
export interface ErrorCase {
  readonly code: ErrorCode;
  readonly path: string;
  /** Body of the request, which is a GET if absent. A string is sent unchanged. */
  readonly body?: unknown;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly param?: string;
  /** Text that the message must contain: the wrong value and the allowed ones. */
  readonly message: RegExp | string;
  /** Expected headers of the response. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
}

/** Sends the request and expects the error. */
export async function expectFailure(url: string, errorCase: ErrorCase): Promise<void> {
  const { path, body, answerHeaders = {} } = errorCase;
  const method = errorCase.method ?? (body === undefined ? 'GET' : 'POST');
  const headers = { 'content-type': 'application/json', ...errorCase.headers };
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers,
    ...(sent === undefined ? {} : { body: sent }),
  });
  const answer = await toAnswer(response);
  expectError(answer, { ...errorCase, isV0: path.startsWith('/api/v0/') });
  for (const [name, value] of Object.entries(answerHeaders)) {
    expect(answer.headers.get(name)).toBe(value);
  }
}

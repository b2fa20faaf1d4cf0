import { toErrorBody, toOpenAiErrorBody } from '../contract/error-body.ts';
import { HearthError } from '../contract/errors.ts';
import { omitUndefined } from '../omit-undefined.ts';

/** Surfaces whose clients expect OpenAI's error body. */
const openAiPath = /^\/(?:api\/v0|v1)(?:\/|$)/;

/** An error as its surface sends it. */
export function errorResponse(thrown: HearthError, path: string): Response {
  const error = withParam(thrown);
  const body = openAiPath.test(path) ? toOpenAiErrorBody(error) : toErrorBody(error);
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (error.retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)));
  }
  if (error.code === 'invalid_api_key') headers['WWW-Authenticate'] = 'Bearer';
  return new Response(JSON.stringify(body), { status: error.status, headers });
}

/** Names the field of an error as v1 does: the domain path in snake case. */
function withParam(error: HearthError): HearthError {
  const { code, field, param, retryAfterSeconds, loading, cause } = error;
  if (param !== undefined || field === undefined) return error;
  const toSnakeCase = (name: string): string =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new HearthError(code, error.describe(toSnakeCase), {
    param: toSnakeCase(field),
    cause,
    ...omitUndefined({ retryAfterSeconds, loading }),
  });
}

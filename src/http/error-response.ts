import { toErrorBody, toOpenAiErrorBody } from '../contract/error-body.ts';
import type { HearthError } from '../contract/errors.ts';

/** Surfaces whose clients expect OpenAI's error body. */
const openAiPath = /^\/(?:api\/v0|v1)(?:\/|$)/;

/** An error as its surface sends it. */
export function errorResponse(error: HearthError, path: string): Response {
  const body = openAiPath.test(path) ? toOpenAiErrorBody(error) : toErrorBody(error);
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (error.retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)));
  }
  if (error.code === 'invalid_api_key') headers['WWW-Authenticate'] = 'Bearer';
  return new Response(JSON.stringify(body), { status: error.status, headers });
}

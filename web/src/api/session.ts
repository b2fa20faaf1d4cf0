import type { ResultOf, RouteOf } from './routes.ts';
import { basePath } from './base-path.ts';
import { toApiError } from './api-error.ts';

type Session = ResultOf<RouteOf<'get', '/api/v1/session'>>;

/**
 * Reads who owns a token, without using the token of the tab.
 *
 * @throws ApiError; TypeError if the server does not respond.
 */
export async function readSession(token: string | undefined): Promise<Session> {
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${basePath}/api/v1/session`, { headers, cache: 'no-store' });
  if (!response.ok) throw await toApiError(response);
  return (await response.json()) as Session;
}

/** True if the server accepts requests without a token. */
export async function isOpenToAll(): Promise<boolean> {
  try {
    return !(await readSession(undefined)).auth_required;
  } catch {
    return false;
  }
}

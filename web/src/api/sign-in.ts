import { access } from './access.ts';
import { toApiError } from './api-error.ts';
import { basePath } from './base-path.ts';
import { queryClient } from './query-client.ts';
import type { ResultOf, RouteOf } from './routes.ts';

type NewSession = ResultOf<RouteOf<'post', '/api/v1/sessions'>>;

/**
 * Signs this browser in with an API token or the code of a link. If the browser was already signed in, that session
 * ends.
 *
 * @throws ApiError; TypeError if the server does not respond.
 */
export async function signIn(
  credential: { readonly code: string } | { readonly token: string },
): Promise<void> {
  const { token: previous } = access.get();
  const response = await fetch(`${basePath}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credential),
    cache: 'no-store',
  });
  if (!response.ok) throw await toApiError(response);
  const { token } = (await response.json()) as NewSession;
  access.signIn(token);
  void queryClient.resetQueries();
  await endSession(previous);
}

/** Signs this browser out, in all tabs. */
export async function signOut(): Promise<void> {
  const { token } = access.get();
  await endSession(token);
  access.signOut();
  void queryClient.resetQueries();
}

/** Ends the session of a token on the server. Does nothing for an API token, which has no session. */
async function endSession(token: string | undefined): Promise<void> {
  const id = /^hearth-session-([0-9a-f]+)-/.exec(token ?? '')?.[1];
  if (id === undefined) return;
  try {
    await fetch(`${basePath}/api/v1/sessions/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token ?? ''}` },
      keepalive: true,
    });
  } catch {
    // If the server does not respond, the session expires later.
  }
}

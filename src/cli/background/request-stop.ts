import { stopServer } from '../../api/v1/server/status-schema.ts';
import { readHomeId } from '../../platform/home/home-id.ts';
import { readOwnerToken } from '../../platform/home/owner-token.ts';
import type { ServerRecord } from '../../platform/home/server-record.ts';
import { ApiError, ServerUnreachableError } from '../client/client-error.ts';
import { createClient } from '../client/client.ts';
import { probeServer } from '../client/probe-server.ts';
import type { CommandContext } from '../context.ts';

/**
 * Asks the server of the home folder to stop once its requests are finished. On Windows a signal would end it at once.
 *
 * @returns false if the server does not take the request: it does not answer, is older, or belongs to another user.
 */
export async function requestStop(
  { home, signal }: Pick<CommandContext, 'home' | 'signal'>,
  { url, certificate_sha256: certificate }: ServerRecord,
): Promise<boolean> {
  const token = await readOwnerToken(home);
  if (token === undefined) return false;
  const found = await probeServer(url, signal, certificate);
  // Another program must not get the token.
  if (found.kind !== 'hearth' || found.homeId !== (await readHomeId(home))) return false;
  try {
    await createClient({ baseUrl: url, token, certificate }).call(stopServer, {}, signal);
    return true;
  } catch (error) {
    // It stops already; a second signal would abort its requests.
    if (error instanceof ApiError) return error.code === 'shutting_down';
    if (error instanceof ServerUnreachableError) return false;
    throw error;
  }
}

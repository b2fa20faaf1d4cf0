import { getStatus, type ServerStatus } from '../../contract/server/server.ts';
import { readServerRecord, type ServerRecord } from '../../home/server-record.ts';
import { ApiError, ServerUnreachableError } from '../client/client-error.ts';
import { createClient } from '../client/client.ts';
import { CommandError } from '../failure.ts';

const answerWithinMs = 5_000;

export interface FoundServer {
  readonly record: ServerRecord;
  /** Undefined where the server wants a token that was not given. */
  readonly status: ServerStatus | undefined;
}

/**
 * The server that runs on a home folder; undefined where none does. A record that a killed server left
 * is told apart by asking: nothing answers there, or another process does.
 *
 * @throws CommandError where the server does not answer in time; the signal's reason when aborted.
 */
export async function findServer(
  home: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<FoundServer | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined) return undefined;
  const client = createClient({ baseUrl: record.url, token });
  const limit = AbortSignal.timeout(answerWithinMs);
  try {
    const status = await client.call(getStatus, {}, AbortSignal.any([signal, limit]));
    return status.pid === record.pid ? { record, status } : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServerUnreachableError) return undefined;
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
      return { record, status: undefined };
    }
    if (!limit.aborted) throw error;
    throw new CommandError(
      `The server at ${record.url} (pid ${record.pid}) does not answer within ${answerWithinMs / 1000} s.`,
    );
  }
}

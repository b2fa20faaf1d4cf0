import type { Client } from '../client/client.ts';
import { ServerUnreachableError } from '../client/client-error.ts';
import { connect, type ConnectionOptions } from '../client/connect.ts';
import type { CommandContext } from '../context.ts';
import { withElapsed } from '../ui/elapsed.ts';
import { startInBackground } from './start-in-background.ts';

const startTimeoutMs = 30_000;

/**
 * Connects as `connect` does, and starts the server of the home folder in the background if it does not run.
 *
 * @throws as `connect` and `startInBackground`.
 */
export async function connectOrStart(
  context: CommandContext,
  options: ConnectionOptions,
): Promise<Client> {
  try {
    return await connect(context, options);
  } catch (error) {
    if (!(error instanceof ServerUnreachableError)) throw error;
  }
  await withElapsed(context.terminal.messages, 'Starting the server', () =>
    startInBackground(context, [], startTimeoutMs),
  );
  return connect(context, options);
}

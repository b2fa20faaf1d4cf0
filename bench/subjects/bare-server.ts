import { randomBytes } from 'node:crypto';
import { childEnvironment } from '../../src/engine/launch/child-environment.ts';
import { loopbackEndpoint } from '../../src/engine/launch/endpoint.ts';
import { startEngineChild } from '../../src/engine/launch/engine-child.ts';
import type { LaunchSpec } from '../../src/engine/launch/launch.ts';
import { waitUntilHealthy } from '../../src/engine/launch/readiness.ts';
import { buildServerArguments } from '../../src/engine/launch/server-arguments.ts';
import { connectEngine, type EngineConnection } from '../../src/net/engine-connection.ts';
import { maxConnections } from './hearth-subject.ts';

export interface BareServer {
  readonly connection: EngineConnection;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts the engine's own server with the arguments and the environment that Hearth gives it, but on a
 * loopback port, as people use it.
 *
 * @throws Error with the tail of its stderr if it exits before it is ready; the signal's reason when aborted.
 */
export async function startBareServer(
  spec: LaunchSpec & { readonly threads: number },
  signal: AbortSignal,
): Promise<BareServer> {
  const endpoint = await loopbackEndpoint();
  const apiKey = randomBytes(24).toString('base64url');
  const child = startEngineChild({
    command: spec.runtime.command,
    arguments: [
      ...spec.runtime.leadingArguments,
      ...buildServerArguments(spec, endpoint, spec.threads),
    ],
    environment: childEnvironment(process.env, apiKey),
    onOutput: () => {},
  });
  const connection = connectEngine({
    address: { origin: `http://${endpoint.host}:${endpoint.port}` },
    apiKey,
    maxConnections,
    closesAfterStream: true,
  });
  const failing = new AbortController();
  void child.exited.then(({ reason }) => failing.abort(new Error(`The bare server: ${reason}`)));
  const stop = async (): Promise<void> => {
    await connection.close();
    await child.stop();
  };
  try {
    await waitUntilHealthy(connection, AbortSignal.any([signal, failing.signal]));
    if (child.pid === undefined) throw new Error('The bare server has no process');
    return { connection, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

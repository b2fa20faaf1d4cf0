import { randomBytes } from 'node:crypto';
import { childEnvironment } from '../../src/engines/launch/child-environment.ts';
import { loopbackEndpoint } from '../../src/engines/launch/endpoint.ts';
import { startEngineChild } from '../../src/engines/launch/engine-child.ts';
import type { LaunchSpec } from '../../src/engines/launch/launch.ts';
import type { Runtime } from '../../src/engines/runtimes/runtime.ts';
import { waitUntilHealthy } from '../../src/engines/launch/readiness.ts';
import { buildServerArguments } from '../../src/engines/launch/server-arguments.ts';
import { omitUndefined } from '../../src/kernel/omit-undefined.ts';
import { connectEngine, type EngineConnection } from '../../src/platform/net/engine-connection.ts';
import { maxConnections } from './hearth-subject.ts';

export interface BareServer {
  readonly connection: EngineConnection;
  readonly pid: number;
  /** Address of the server; `apiKey` is its key, if it has one. */
  readonly origin: string;
  readonly apiKey: string | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the engine's own server with Hearth's arguments and environment, but on a loopback port, as users run it.
 *
 * @throws Error with the tail of its stderr if it exits before it is ready; the signal's reason when aborted.
 */
export async function startBareServer(
  spec: LaunchSpec & { readonly threads: number },
  signal: AbortSignal,
): Promise<BareServer> {
  const endpoint = await loopbackEndpoint();
  const apiKey = randomBytes(24).toString('base64url');
  const command = {
    arguments: buildServerArguments(spec, endpoint, spec.threads),
    environment: childEnvironment(process.env, apiKey),
    apiKey,
  };
  return startServer(spec.runtime, endpoint, command, signal);
}

/**
 * Starts the engine's own server with its default settings and the environment of this process.
 *
 * @throws The errors of `startBareServer`.
 */
export async function startDefaultServer(
  runtime: Runtime,
  modelPath: string,
  signal: AbortSignal,
): Promise<BareServer> {
  const endpoint = await loopbackEndpoint();
  const { host, port } = endpoint;
  const command = {
    arguments: ['--model', modelPath, '--host', host, '--port', String(port), '--offline'],
    environment: definedVariables(process.env),
    apiKey: undefined,
  };
  return startServer(runtime, endpoint, command, signal);
}

function definedVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

interface ServerCommand {
  readonly arguments: readonly string[];
  readonly environment: Record<string, string>;
  readonly apiKey: string | undefined;
}

async function startServer(
  runtime: Runtime,
  { host, port }: { readonly host: string; readonly port: number },
  command: ServerCommand,
  signal: AbortSignal,
): Promise<BareServer> {
  const child = startEngineChild({
    command: runtime.command,
    arguments: [...runtime.leadingArguments, ...command.arguments],
    environment: command.environment,
    onOutput: () => {},
  });
  const origin = `http://${host}:${port}`;
  const { apiKey } = command;
  const connection = connectEngine({
    address: { origin },
    ...omitUndefined({ apiKey }),
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
    return { connection, pid: child.pid, origin, apiKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

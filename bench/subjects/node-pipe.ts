import { connectEngine, type EngineAddress } from '../../src/platform/net/engine-connection.ts';
import { startBenchProgram } from './bench-program.ts';
import { maxConnections } from './hearth-subject.ts';
import type { PipedServer } from './subject.ts';

/** Starts a Node.js process in front of a server that only forwards bytes. */
export async function startNodePipe(
  server: { readonly origin: string; readonly apiKey: string | undefined },
  signal: AbortSignal,
): Promise<PipedServer> {
  const pipe = await startBenchProgram<{ readonly url: string }>(
    'node-pipe',
    [server.origin],
    signal,
  );
  const address: EngineAddress = { origin: pipe.addresses.url };
  const connection = connectEngine({
    address,
    maxConnections,
    ...(server.apiKey === undefined ? {} : { apiKey: server.apiKey }),
  });
  return {
    chat: { connection, path: '/v1/chat/completions', model: 'model' },
    pid: pipe.pid,
    close: async () => {
      await connection.close();
      await pipe.stop();
    },
  };
}

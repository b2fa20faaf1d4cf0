import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine } from '../../src/platform/net/engine-connection.ts';
import type { BareServer } from './bare-server.ts';
import { startHearth } from './hearth-process.ts';
import { maxConnections } from './hearth-subject.ts';
import type { RemoteFront } from './subject.ts';

const upstream = 'bench';
const keyFile = 'bench.key';

/** Settings of a Hearth whose only upstream is a llama-server. The key is read from a file in the same folder. */
export function remoteSettings({ origin, apiKey }: Pick<BareServer, 'origin' | 'apiKey'>) {
  const key = apiKey === undefined ? {} : { keyFile };
  return { upstreams: { [upstream]: { url: `${origin}/v1`, kind: 'llama-server', ...key } } };
}

/**
 * Starts a Hearth whose only upstream is a running llama-server.
 *
 * @param modelId Name of the model on that server.
 */
export async function startRemoteHearth(
  server: BareServer,
  modelId: string,
  signal: AbortSignal,
): Promise<RemoteFront> {
  const home = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  const removeHome = () => rm(home, { recursive: true, force: true, maxRetries: 3 });
  try {
    await writeFile(join(home, 'config.json'), JSON.stringify(remoteSettings(server)));
    const { apiKey } = server;
    if (apiKey !== undefined) await writeFile(join(home, keyFile), apiKey, { mode: 0o600 });
    const hearth = await startHearth({ home }, signal);
    const connection = connectEngine({ address: { origin: hearth.url }, maxConnections });
    return {
      chat: { connection, path: '/v1/chat/completions', model: `${upstream}/${modelId}` },
      processes: { enginePid: server.pid, frontPid: hearth.pid },
      close: async () => {
        await connection.close();
        await hearth.stop();
        await removeHome();
      },
    };
  } catch (error) {
    await removeHome();
    throw error;
  }
}

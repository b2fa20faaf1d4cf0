import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '../../src/engines/runtimes/runtime.ts';
import { connectEngine } from '../../src/platform/net/engine-connection.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { startDefaultServer } from './bare-server.ts';
import { importModel, startHearth } from './hearth-process.ts';
import { maxConnections } from './hearth-subject.ts';

/** A running server with default settings. */
export interface DefaultServer {
  readonly chat: Endpoint;
  /** Ids of all its processes, once the model is loaded. */
  readonly pids: () => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
}

export interface DefaultServers {
  /** Starts a server in a home folder that has the model, which is loaded by the first request. */
  readonly startHearth: () => Promise<DefaultServer>;
  /** Starts the engine's own server, which loads the model at once. */
  readonly startBare: () => Promise<DefaultServer>;
  /** Removes the home folder. */
  readonly close: () => Promise<void>;
}

/** Prepares both servers with default threads, slots, context and batches. */
export async function prepareDefaultServers(
  runtime: Runtime,
  runtimesFolder: string,
  modelPath: string,
  signal: AbortSignal,
): Promise<DefaultServers> {
  const home = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  const key = await importModel(home, modelPath, signal);
  return {
    startHearth: async () => {
      const hearth = await startHearth({ home, runtimesFolder }, signal);
      const connection = connectEngine({ address: { origin: hearth.url }, maxConnections });
      return {
        chat: { connection, path: '/v1/chat/completions', model: key },
        pids: async () => [hearth.pid, await hearth.enginePid(key)],
        stop: async () => {
          await connection.close();
          await hearth.stop();
        },
      };
    },
    startBare: async () => {
      const { connection, pid, stop } = await startDefaultServer(runtime, modelPath, signal);
      return {
        chat: { connection, path: '/v1/chat/completions', model: 'model' },
        pids: async () => [pid],
        stop,
      };
    },
    close: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}

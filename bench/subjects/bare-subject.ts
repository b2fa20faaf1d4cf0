import { join } from 'node:path';
import type { LoadConfig } from '../../src/api/v1/models/load-config-schema.ts';
import type { LaunchSpec } from '../../src/engines/launch/launch.ts';
import type { Runtime } from '../../src/engines/runtimes/runtime.ts';
import { readTotalMemory } from '../../src/platform/machine/read-machine.ts';
import { promptCacheMiB } from '../../src/server/create-pool.ts';
import { packageFolder } from '../../src/platform/files/package-folder.ts';
import { startBareServer, type BareServer } from './bare-server.ts';
import { startNodePipe } from './node-pipe.ts';
import { plainConversation } from './plain-conversation.ts';
import { startRemoteHearth } from './remote-hearth.ts';
import type { Subject } from './subject.ts';

/** As much memory for cached prompts as Hearth has, and its default of `engine.kvType`. */
const engineDefaults = {
  promptCacheMiB: promptCacheMiB(readTotalMemory()),
  kvCacheTypes: { k: 'f16', v: 'f16' },
} as const;
const loadTimeoutMs = 600_000;

export interface BareModel {
  readonly path: string;
  readonly purpose: LaunchSpec['purpose'];
  /** Configuration with which Hearth has loaded the same model. */
  readonly config: LoadConfig;
}

export function starterModelPath(name: 'chat' | 'embed'): string {
  return join(packageFolder, `models/starter/starter-${name}/starter-${name}-q8_0.gguf`);
}

/** Hearth's launch options for a model. */
export function bareSpec(runtime: Runtime, threads: number, { path, purpose, config }: BareModel) {
  return {
    runtime,
    modelPath: path,
    purpose,
    contextLength: config.context_length,
    parallel: config.parallel ?? 1,
    threads,
    loadTimeoutMs,
    ...engineDefaults,
  };
}

/** Starts a bare server for each model. */
export async function createBareSubject(
  runtime: Runtime,
  threads: number,
  models: { readonly chat: BareModel; readonly embeddings: BareModel },
  signal: AbortSignal,
): Promise<Subject> {
  const servers: BareServer[] = [];
  const close = async (): Promise<void> => {
    for (const server of servers.splice(0)) await server.stop();
  };
  const start = async (model: BareModel): Promise<BareServer> => {
    const server = await startBareServer(bareSpec(runtime, threads, model), signal);
    servers.push(server);
    return server;
  };
  try {
    const server = await start(models.chat);
    const { connection, pid } = server;
    const embedder = await start(models.embeddings);
    const chat = { connection, path: '/v1/chat/completions', model: 'model' };
    const list = { connection, path: '/v1/models', model: '' };
    return {
      name: 'bare',
      chat,
      embeddings: { connection: embedder.connection, path: '/v1/embeddings', model: 'model' },
      modelLists: { v0: list, v1: list },
      processes: { enginePid: pid, frontPid: undefined },
      startPipe: () => startNodePipe(server, signal),
      startRemote: () => startRemoteHearth(server, chat.model, signal),
      converse: (systemPrompt, maxTokens, until) =>
        plainConversation(chat, maxTokens, until, [{ role: 'system', content: systemPrompt }]),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

import { testRuntime } from '../engine/shared-runtimes.ts';
import { starterPath, starterProjectorPath } from '../engine/test-engines.ts';
import { placeRankModel } from '../models/rank-model.ts';
import { makeFolder, removeFolder } from '../temporary-folder.ts';
import { startServer, type RealEngine, type RunningEngine } from './real-engine.ts';

export const llamaServer: RealEngine = {
  name: 'llama-server',
  kind: 'llama-server',
  modelId: 'starter',
  contextLength: 2048,
  lacks: {},
  install: async () => ({ version: 'b11549' }),
  start: async (key) => {
    const folder = await makeFolder();
    const ranker = await placeRankModel(folder);
    const [chat, embedder, reranker, viewer] = await Promise.all([
      startModel(key, starterPath('chat')),
      startModel(key, starterPath('embed'), ['--embeddings']),
      startModel(key, ranker, ['--reranking']),
      startModel(key, starterPath('vision'), ['--mmproj', starterProjectorPath()]),
    ]);
    const modelId = 'starter';
    return {
      ...chat,
      others: {
        embeddings: { url: embedder.url, modelId },
        rerank: { url: reranker.url, modelId },
        images: { url: viewer.url, modelId },
      },
      kill: async () => {
        await Promise.all([chat, embedder, reranker, viewer].map((each) => each.kill()));
        await removeFolder(folder);
      },
    };
  },
};

async function startModel(
  key: string,
  model: string,
  options: readonly string[] = [],
): Promise<RunningEngine> {
  const { command, leadingArguments } = await testRuntime();
  return startServer({
    command,
    arguments: (port) => [
      ...leadingArguments,
      '--model',
      model,
      '--alias',
      'starter',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--ctx-size',
      '4096',
      '--parallel',
      '2',
      '--threads',
      '1',
      '--no-webui',
      '--offline',
      '--slots',
      '--jinja',
      ...options,
    ],
    environment: () => ({ LLAMA_API_KEY: key }),
    readyPath: '/health',
    key,
    runningRequests: async (root) => {
      const slots = await fetch(`${root}/slots`, { headers: { authorization: `Bearer ${key}` } });
      const list = (await slots.json()) as readonly { readonly is_processing: boolean }[];
      return list.filter((slot) => slot.is_processing).length;
    },
  });
}

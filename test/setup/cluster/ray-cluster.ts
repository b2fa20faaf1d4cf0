import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { testRuntime } from '../engine/shared-runtimes.ts';
import { starterPath } from '../engine/test-engines.ts';
import { freePort } from '../net/ports.ts';
import { projectFolder } from '../project-folder.ts';
import { pythonEnvironment } from '../real-engines/python-environment.ts';
import { hearthEntryPoint, hearthEnvironment } from '../server/hearth-process.ts';

const run = promisify(execFile);
const example = join(projectFolder, 'examples/cluster');
const startWithinMs = 280_000;

/** A replica of the example: a Ray process and its engine process. */
export interface ReplicaProcess {
  readonly pid: number;
  readonly enginePid: number | undefined;
}

export interface RayCluster {
  /** Address of Hearth. */
  readonly url: string;
  /** Output of the script and of Hearth so far. */
  log(): string;
  /** The running replicas. */
  replicas(): Promise<readonly ReplicaProcess[]>;
  /** Sum of a metric over Ray's nodes and over all series that have `label` in their labels. */
  metric(name: string, label?: string): Promise<number>;
  /** Deploys the application again with another value for an option of `serve.yaml`. */
  redeploy(option: string, value: string): Promise<void>;
  /** Stops the script as with Ctrl-C. */
  close(): Promise<void>;
}

/** Installs Ray with the first call. Returns the folder of its programs, or the reason why it can't be installed here. */
export async function installRay(): Promise<
  { readonly programs: string } | { readonly missing: string }
> {
  const text = await readFile(join(example, 'requirements.txt'), 'utf8');
  try {
    const requirements = text.trim().split('\n');
    const folder = await pythonEnvironment('ray', { requirements, isCompiled: true });
    return { programs: join(folder, 'bin') };
  } catch (error) {
    return { missing: `pip can't install it: ${String(error).slice(0, 300)}` };
  }
}

/** Runs `examples/cluster/start.sh` with the starter chat model, and waits until Hearth listens. */
export async function startRayCluster(
  programs: string,
  { folder, collectorUrl }: { readonly folder: string; readonly collectorUrl: string },
): Promise<RayCluster> {
  const { command, leadingArguments } = await testRuntime();
  const rayPort = await freePort();
  const path = `${programs}:${process.env['PATH']}`;
  const child = spawn(join(example, 'start.sh'), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: hearthEnvironment({
      PATH: path,
      CLUSTER_FOLDER: folder,
      MODEL: starterPath('chat'),
      ENGINE: [command, ...leadingArguments].join(' '),
      HEARTH: `${process.execPath} ${hearthEntryPoint}`,
      HEARTH_SERVER_PORT: '0',
      RAY_PORT: String(rayPort),
      SERVE_PORT: String(await freePort()),
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    }),
  });
  const { pid } = child;
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const exited = once(child, 'exit');
  const close = async () => {
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-pid, 'SIGINT');
    await exited;
  };
  const url = await Promise.race([
    readUrl(child.stdout),
    exited.then(() => undefined),
    once(AbortSignal.timeout(startWithinMs), 'abort').then(() => undefined),
  ]);
  if (url === undefined || pid === undefined) {
    await close();
    throw new Error(`The cluster did not start:\n${log}`);
  }
  return {
    url,
    log: () => log,
    replicas: () => findReplicas(pid),
    metric: async (name, label = '') => {
      const pages = await Promise.all(
        [1, 2, 3].map(async (node) =>
          (await fetch(`http://127.0.0.1:${rayPort + 10 * node + 1}/metrics`)).text(),
        ),
      );
      return pages
        .flatMap((page) => page.split('\n'))
        .filter((line) => line.startsWith(`${name}{`) && line.includes(label))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    redeploy: async (option, value) => {
      const file = join(folder, 'serve.yaml');
      const settings = await readFile(file, 'utf8');
      const changed = settings.replace(new RegExp(`^( *${option}: ).*$`, 'mu'), `$1${value}`);
      if (changed === settings) throw new Error(`${file} has no other ${option}`);
      await writeFile(file, changed);
      await run(join(programs, 'serve'), ['run', '--non-blocking', file], {
        env: {
          ...process.env,
          PATH: path,
          PYTHONPATH: example,
          RAY_ADDRESS: `127.0.0.2:${rayPort}`,
          RAY_AUTH_MODE: 'token',
          RAY_AUTH_TOKEN_PATH: join(folder, 'token'),
        },
      });
    },
    close,
  };
}

async function readUrl(stdout: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^Hearth is listening on (\S+)$/u.exec(line)?.[1];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  return undefined;
}

/** The replicas among the descendants of a process, from `/proc`. */
async function findReplicas(root: number): Promise<readonly ReplicaProcess[]> {
  const processes = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/u.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
        const [, state, parent] = /\) (\S) (\d+) /u.exec(stat) ?? [];
        const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
        return { pid: Number(name), parent: Number(parent), isZombie: state === 'Z', command };
      }),
  );
  const childrenOf = (pid: number) =>
    processes.filter(({ parent, isZombie }) => parent === pid && !isZombie);
  const descendantsOf = (pid: number): typeof processes =>
    childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child.pid)]);
  return descendantsOf(root)
    .filter(({ command }) => command.startsWith('ray::ServeReplica:chat:Replica'))
    .map(({ pid }) => ({ pid, enginePid: childrenOf(pid)[0]?.pid }));
}

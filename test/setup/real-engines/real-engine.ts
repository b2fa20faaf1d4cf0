import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Upstream } from '../../../src/engines/backends/remote/upstream.ts';
import { loopbackEndpoint } from '../../../src/engines/launch/endpoint.ts';

/**
 * Features that a kind of server lacks or implements differently: the reason is a cell of the table
 * in the docs.
 */
export type Ability =
  | 'reasoning'
  | 'tools'
  | 'tools of MCP servers'
  | 'forced tool call'
  | 'structured output'
  | 'stop strings'
  | 'log probabilities'
  | 'text completions'
  | 'context overflow'
  | 'counted prompts'
  | 'keys';

/** An inference server that people run, with the starter chat model. */
export interface RealEngine {
  readonly name: string;
  readonly kind: Upstream['kind'];
  /** As its API calls the model. */
  readonly modelId: string;
  /** Fields of the setting `upstreams` besides the address and the kind. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Tokens of the context that Hearth is to show. */
  readonly contextLength: number;
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** Installs it with the first call; the reason if it is not to be had here. */
  install(): Promise<{ readonly version: string } | { readonly missing: string }>;
  /** Starts a server that answers requests with this key only, if it has keys. */
  start(key: string): Promise<RunningEngine>;
}

export interface RunningEngine {
  /** Base address, with `/v1`. */
  readonly url: string;
  /** Requests that it works on; undefined if it does not tell. */
  runningRequests(): Promise<number | undefined>;
  /** SIGSTOP and SIGCONT of all its processes. */
  pause(): void;
  resume(): void;
  /** SIGKILL of all its processes. */
  kill(): Promise<void>;
}

interface EngineCommand {
  readonly command: string;
  readonly arguments: (port: number) => readonly string[];
  readonly environment?: (port: number) => Readonly<Record<string, string>>;
  /** Answers with a status of 200 when the server is ready. */
  readonly readyPath: string;
  readonly key: string;
  readonly runningRequests?: (root: string) => Promise<number>;
}

const readyWithinMs = 240_000;

/** Starts a server as a process group of its own, and waits until it is ready. */
export async function startServer(options: EngineCommand): Promise<RunningEngine> {
  const { port } = await loopbackEndpoint();
  const child = spawn(options.command, options.arguments(port), {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...options.environment?.(port) },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => void output.push(bytes.toString()));
  }
  const root = `http://127.0.0.1:${port}`;
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  };
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (hasEnded()) return;
    signal('SIGKILL');
    await once(child, 'exit');
  };
  if (!(await isReady(child, root + options.readyPath, options.key))) {
    await kill();
    throw new Error(`${options.command} is not ready:\n${output.join('').slice(-4000)}`);
  }
  return {
    url: `${root}/v1`,
    runningRequests: async () => options.runningRequests?.(root),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill,
  };
}

async function isReady(child: ChildProcess, url: string, key: string): Promise<boolean> {
  const endAt = Date.now() + readyWithinMs;
  const headers = { authorization: `Bearer ${key}` };
  while (Date.now() < endAt && child.exitCode === null && child.signalCode === null) {
    const answers = await fetch(url, { headers }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return true;
    await delay(200);
  }
  return false;
}

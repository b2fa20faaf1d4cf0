import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Upstream } from '../../../src/engines/backends/remote/upstream.ts';
import { loopbackEndpoint } from '../../../src/engines/launch/endpoint.ts';

/** Features that some kinds of servers lack or implement differently. The reason is part of a table in the docs. */
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
  | 'keys'
  | 'embeddings'
  | 'rerank'
  | 'images'
  | 'cached prompts';

/** A widely used inference server with the starter chat model. */
export interface RealEngine {
  readonly name: string;
  readonly kind: Upstream['kind'];
  /** Id of the model in its API. */
  readonly modelId: string;
  /** Fields of the setting `upstreams`, except for the address and kind. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Context length that Hearth should show. */
  readonly contextLength: number;
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** Installs the server with the first call; returns the reason if it can't be installed here. */
  install(): Promise<{ readonly version: string } | { readonly missing: string }>;
  /** Starts a server. If it supports keys, it accepts only requests with this key. */
  start(key: string): Promise<RunningEngine>;
}

/** Why a cell of the table is empty, although the engine has the ability. */
export const notTested = 'not tested';

/** Requests that need a model of another type. */
export const otherTypes = ['embeddings', 'rerank', 'images'] as const;
type OtherType = (typeof otherTypes)[number];

export interface OtherModel {
  /** Base address, with `/v1`. */
  readonly url: string;
  readonly modelId: string;
}

export interface RunningEngine {
  /** Models of other types; the rest of the engine's `lacks` says why one is missing. */
  readonly others?: Readonly<Partial<Record<OtherType, OtherModel>>>;
  /** Base address, with `/v1`. */
  readonly url: string;
  /** Number of running requests; undefined if the server does not report it. */
  runningRequests(): Promise<number | undefined>;
  /** Sends SIGSTOP or SIGCONT to all its processes. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
}

interface EngineCommand {
  readonly command: string;
  readonly arguments: (port: number) => readonly string[];
  readonly environment?: (port: number) => Readonly<Record<string, string>>;
  /** Path that responds with status 200 once the server is ready. */
  readonly readyPath: string;
  readonly key: string;
  readonly runningRequests?: (root: string) => Promise<number>;
}

const readyWithinMs = 240_000;

/** Starts a server in its own process group, and waits until it is ready. */
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

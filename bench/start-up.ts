import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../src/engines/launch/memory-watch.ts';
import { threadMicroseconds } from './process-usage.ts';
import { quantile } from './statistics.ts';
import { program, startHearth, type HearthProcessOptions } from './subjects/hearth-process.ts';

/** Cost of starting programs. Undefined on systems without `/proc`. */
export interface StartUp {
  /** Time from the start of a process to its exit, minus the time of Node.js without a program, in ms. */
  readonly helpMs: number;
  readonly listMs: number;
  /** Time until `hearth ls` has printed its error if the home folder has no server. */
  readonly failedListMs: number;
  /** Time from the start of `hearth serve` until it listens. */
  readonly serveMs: number;
  readonly serveCpuMs: number | undefined;
  /** Memory of a server that has not done any work yet. */
  readonly idleBytes: number | undefined;
}

const settleMs = 1000;
const startCount = 5;

/** Measures the start of commands and a server in a temporary home folder. */
export async function measureStartUp(
  settings: Omit<HearthProcessOptions, 'home' | 'profile'>,
  signal: AbortSignal,
): Promise<StartUp> {
  const home = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  try {
    const startedAt = performance.now();
    const server = await startHearth({ ...settings, home, profile: undefined }, signal);
    const serveMs = performance.now() - startedAt;
    const cpu = threadMicroseconds(server.pid);
    try {
      await delay(settleMs, undefined, { signal });
      const idleBytes = await residentBytes(server.pid);
      const beyond = await timeCommands(home, signal);
      const serveCpuMs = cpu === undefined ? undefined : cpu / 1000;
      return { ...beyond, serveMs, serveCpuMs, idleBytes };
    } finally {
      await server.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Medians of a few starts of each command. The commands alternate, so that a slow moment of the machine affects all of
 * them.
 */
async function timeCommands(home: string, signal: AbortSignal) {
  const list = [program, 'ls', '--json', `--home=${home}`];
  const listWithoutServer = [program, 'ls', `--home=${join(home, 'unused')}`];
  // The first list starts a scan of the library, so it is not measured.
  await timeNode(list, signal);
  const node: number[] = [];
  const help: number[] = [];
  const listed: number[] = [];
  const failed: number[] = [];
  for (let start = 0; start < startCount; start += 1) {
    node.push(await timeNode(['--eval', '0'], signal));
    help.push(await timeNode([program, '--help'], signal));
    listed.push(await timeNode(list, signal));
    failed.push(await timeNode(listWithoutServer, signal, 1));
  }
  const beyond = (times: readonly number[]) => quantile(times, 0.5) - quantile(node, 0.5);
  return { helpMs: beyond(help), listMs: beyond(listed), failedListMs: beyond(failed) };
}

async function timeNode(
  commandLine: readonly string[],
  signal: AbortSignal,
  expectedExitCode = 0,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, commandLine, { stdio: 'ignore', signal });
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  if (exitCode !== expectedExitCode)
    throw new Error(`${commandLine.join(' ')} ended with ${exitCode}`);
  return performance.now() - startedAt;
}

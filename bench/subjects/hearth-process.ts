import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { packageFolder } from '../../src/platform/files/package-folder.ts';

/** The built command-line program. */
export const program = programOf(packageFolder);
const listening = /^Hearth is listening on (http:\S+)$/;
const modelLoaded = /"instance":"([^"]+)".*"pid":(\d+).*"model loaded"/;

export interface HearthProcess {
  readonly url: string;
  readonly pid: number;
  /** Finds the engine process of a loaded instance in the log. */
  enginePid(instanceId: string): Promise<number>;
  /** Sends SIGTERM; resolves when the process has exited. */
  readonly stop: () => Promise<void>;
}

export interface HearthProcessOptions {
  readonly home: string;
  /** Folder of installed runtimes; none by default. */
  readonly runtimesFolder?: string;
  /** Number of engine threads; the default if absent. */
  readonly threads?: number;
  readonly parallel?: number;
  /** Folder for a CPU profile. */
  readonly profile?: string | undefined;
  /** Flags of Node.js; none by default, like `hearth serve` in a terminal. */
  readonly nodeOptions?: readonly string[];
  /** Further flags of `hearth serve`. */
  readonly flags?: readonly string[];
  /** Folder with the build; defaults to this one. */
  readonly checkout?: string;
}

/** Makes the runtimes of a home a link; a home that was started before has it. */
async function linkRuntimes(home: string, folder: string): Promise<void> {
  await symlink(folder, join(home, 'runtimes'), 'junction').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}

function programOf(checkout: string): string {
  return join(checkout, 'dist/cli/main.js');
}

/**
 * Starts `hearth serve` on a free port, with default settings except for the options.
 *
 * @throws Error with its log if it exits before it listens, or is aborted.
 */
export async function startHearth(
  options: HearthProcessOptions,
  signal: AbortSignal,
): Promise<HearthProcess> {
  const {
    home,
    runtimesFolder,
    threads,
    parallel,
    profile,
    nodeOptions = [],
    flags = [],
    checkout = packageFolder,
  } = options;
  if (runtimesFolder !== undefined) await linkRuntimes(home, runtimesFolder);
  const child = spawn(
    process.execPath,
    [
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
      ...nodeOptions,
      programOf(checkout),
      'serve',
      '--port=0',
      `--home=${home}`,
      ...(threads === undefined ? [] : [`--engine-threads=${threads}`]),
      ...(parallel === undefined ? [] : [`--engine-parallel=${parallel}`]),
      ...flags,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: ownEnvironment(), signal },
  );
  const exited = new Promise((resolve) => child.once('close', resolve));
  // An abort ends the output, which is handled below.
  child.once('error', () => {});
  const log: string[] = [];
  const enginePids = new Map<string, number>();
  const errorLines = createInterface({ input: child.stderr });
  errorLines.on('line', (line) => {
    if (line.includes('"requestId"')) return;
    log.push(line);
    const [, instance, pid] = modelLoaded.exec(line) ?? [];
    if (instance !== undefined) enginePids.set(instance, Number(pid));
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = listening.exec(line)?.[1];
    if (url === undefined || child.pid === undefined) continue;
    child.stdout.resume();
    return {
      url,
      pid: child.pid,
      enginePid: async (instanceId) => {
        for (;;) {
          const pid = enginePids.get(instanceId);
          if (pid !== undefined) return pid;
          await once(errorLines, 'line', { signal });
        }
      },
      stop: async () => {
        child.kill('SIGTERM');
        await exited;
      },
    };
  }
  throw new Error(`hearth serve ended before it listened:\n${log.join('\n')}`);
}

/** Links a model into the library of a home folder; returns its key. */
export async function importModel(
  home: string,
  file: string,
  signal: AbortSignal,
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, 'import', file, '--link', '--json', `--home=${home}`],
    { env: ownEnvironment(), signal },
  );
  return (JSON.parse(stdout) as { readonly key: string }).key;
}

/** The environment without the user's settings, except for the engine binary, which both sides use. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('HEARTH_') || name === 'HEARTH_LLAMA_SERVER',
    ),
  );
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { findExecutable } from './find-executable.ts';
import type { Installation } from './installation.ts';
import { runProgram, type ProgramResult } from './run-program.ts';
import { launcherArguments } from './runtime-manifest.ts';

const probeTimeoutMs = 30_000;
const installTimeoutMs = 15 * 60_000;
const pythonNames = ['python3', 'python'];

const pythonSchema = z.tuple([z.string().min(1), z.number(), z.number()]);
const describePython =
  'import json, sys; print(json.dumps([sys.executable, sys.version_info[0], sys.version_info[1]]))';

/** Absolute path of the first Python on PATH that is new enough and has pip. */
export async function findPython(
  minimumMinor: number,
  { settings, stagingFolder, signal }: Installation,
): Promise<string> {
  const { environment, machine } = settings;
  const needed = `Python 3.${minimumMinor} or newer with pip is needed`;
  const found: string[] = [];
  for (const name of pythonNames) {
    const command = await findExecutable(name, environment, machine.platform);
    if (command === undefined) continue;
    const run = (programArguments: readonly string[]): Promise<ProgramResult> =>
      runProgram(command, programArguments, {
        environment,
        timeoutMs: probeTimeoutMs,
        workingFolder: stagingFolder,
        signal,
      });
    const python = parsePython((await run(['-I', '-c', describePython])).output);
    if (python === undefined) {
      found.push(`${name} does not run`);
    } else if (python.major !== 3 || python.minor < minimumMinor) {
      found.push(`${name} is ${python.major}.${python.minor}`);
    } else if ((await run(['-m', 'pip', '--version'])).exitCode !== 0) {
      found.push(`${name} has no pip (on Debian and Ubuntu: apt install python3-pip)`);
    } else {
      return python.executable;
    }
  }
  throw new Error(`${needed}; ${found.length === 0 ? 'no Python is on PATH' : found.join(', ')}`);
}

function parsePython(
  output: string,
): { readonly executable: string; readonly major: number; readonly minor: number } | undefined {
  try {
    const [executable, major, minor] = pythonSchema.parse(JSON.parse(output));
    return { executable, major, minor };
  } catch {
    return undefined;
  }
}

/**
 * Installs wheels into the content folder; pip verifies their hashes.
 *
 * @param requirements File with the versions and hashes of all packages, in pip's format.
 * @param options Further options of `pip install`.
 */
export async function installPackages(
  python: string,
  requirements: string,
  { settings, stagingFolder, contentFolder, signal }: Installation,
  options: readonly string[] = [],
): Promise<void> {
  const { environment } = settings;
  const temporary = join(stagingFolder, 'temporary');
  await mkdir(temporary);
  const pipArguments = ['-m', 'pip', 'install', '--no-deps', '--only-binary=:all:'];
  pipArguments.push('--require-hashes', '--requirement', requirements, '--target', contentFolder);
  pipArguments.push(...options);
  const { exitCode, output } = await runProgram(python, pipArguments, {
    environment: {
      ...environment,
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_NO_INPUT: '1',
      PIP_PROGRESS_BAR: 'off',
      // If set by the user, both would prevent an installation into a folder.
      PIP_USER: '0',
      PIP_REQUIRE_VIRTUALENV: '0',
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
    },
    timeoutMs: installTimeoutMs,
    workingFolder: stagingFolder,
    signal,
    guard: settings.guard,
  });
  if (exitCode === 0) return;
  settings.logger.warn({ event: 'runtime.pip_failed', exitCode, output }, 'pip failed');
  throw new Error(exitCode === null ? 'pip took too long' : `pip failed: ${lastError(output)}`);
}

/** pip's last error, which explains the failure. */
function lastError(output: string): string {
  const lines = output.trim().split('\n');
  return lines.findLast((line) => line.startsWith('ERROR: '))?.slice(7) ?? lines.at(-1) ?? '';
}

interface ServerCheck {
  readonly launcher: string;
  /** Name and version, for errors. */
  readonly server: string;
  /** Text that the printed version contains. */
  readonly expected: string;
  readonly timeoutMs: number;
}

/** Checks that the server starts like for a load, and has the expected version. */
export async function checkPythonServer(
  python: string,
  { settings, contentFolder, stagingFolder, report, signal }: Installation,
  { launcher, server, expected, timeoutMs }: ServerCheck,
): Promise<void> {
  report({ type: 'install.step', message: 'Checking that the engine starts' });
  const { exitCode, output } = await runProgram(
    python,
    [...launcherArguments(launcher, contentFolder), '--version'],
    { environment: settings.environment, timeoutMs, workingFolder: stagingFolder, signal },
  );
  if (exitCode !== 0 || !output.includes(expected)) {
    const reason = output.trim().split('\n').at(-1) ?? '';
    throw new Error(`${server} does not run on this machine: ${reason}`);
  }
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { findExecutable } from './find-executable.ts';
import type { Installation, InstallationWay } from './installation.ts';
import { runProgram, type ProgramResult } from './run-program.ts';
import { wheelArguments } from './runtime-manifest.ts';
import { targetOf, type Backend } from './target.ts';

const probeTimeoutMs = 30_000;
const installTimeoutMs = 15 * 60_000;
const pythonNames = ['python3', 'python'];
const backends: readonly Backend[] = ['cpu', 'metal'];

/** Installs the Python package with the same server, with the user's own Python and pip. */
export const installWheel: InstallationWay = {
  plan: async ({ settings, backend }) => {
    const { machine, wheel } = settings;
    const targets = (backend === undefined ? backends : [backend]).map((candidate) =>
      targetOf(machine, candidate),
    );
    const target = targets.find((candidate) => wheel.sha256[candidate] !== undefined);
    if (target !== undefined) return { target, version: wheel.build };
    const known = Object.keys(wheel.sha256).join(', ');
    throw new Error(`there is no wheel for ${targets.join(' or ')}, only for ${known}`);
  },

  fill: async ({ target }, installation) => {
    const python = await findPython(installation);
    await runPip(python, installation.settings.wheel.sha256[target] ?? '', installation);
    await checkServer(python, installation);
    return { source: 'wheel', python };
  },
};

const pythonSchema = z.tuple([z.string().min(1), z.number(), z.number()]);
const describePython =
  'import json, sys; print(json.dumps([sys.executable, sys.version_info[0], sys.version_info[1]]))';

/** Absolute path of the first Python on PATH that is new enough and has pip. */
async function findPython({ settings, stagingFolder, signal }: Installation): Promise<string> {
  const { environment, machine, wheel } = settings;
  const needed = `Python 3.${wheel.minimumPythonMinor} or newer with pip is needed`;
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
    } else if (python.major !== 3 || python.minor < wheel.minimumPythonMinor) {
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

async function runPip(
  python: string,
  sha256: string,
  { settings, stagingFolder, contentFolder, report, signal }: Installation,
): Promise<void> {
  const { environment, wheel } = settings;
  report({ type: 'install.step', message: `Installing xllamacpp ${wheel.version} with pip` });
  const requirements = join(stagingFolder, 'requirements.txt');
  await writeFile(requirements, `xllamacpp==${wheel.version} --hash=sha256:${sha256}\n`);
  const temporary = join(stagingFolder, 'temporary');
  await mkdir(temporary);
  const pipArguments = ['-m', 'pip', 'install', '--no-deps', '--only-binary=:all:'];
  pipArguments.push('--require-hashes', '--requirement', requirements, '--target', contentFolder);
  const { exitCode, output } = await runProgram(python, pipArguments, {
    environment: {
      ...environment,
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_NO_INPUT: '1',
      PIP_PROGRESS_BAR: 'off',
      // Both would prevent an installation into a folder.
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

/** The last error of pip explains the failure; earlier lines are steps. */
function lastError(output: string): string {
  const lines = output.trim().split('\n');
  return lines.findLast((line) => line.startsWith('ERROR: '))?.slice(7) ?? lines.at(-1) ?? '';
}

/** Loads the package in the same way as the launcher, and compares its version. */
async function checkServer(
  python: string,
  { settings, contentFolder, stagingFolder, report, signal }: Installation,
): Promise<void> {
  report({ type: 'install.step', message: 'Checking that the engine starts' });
  const versionArguments = [
    ...wheelArguments(settings.wheelLauncherPath, contentFolder),
    '--version',
  ];
  const { exitCode, output } = await runProgram(python, versionArguments, {
    environment: settings.environment,
    timeoutMs: probeTimeoutMs,
    workingFolder: stagingFolder,
    signal,
  });
  if (exitCode !== 0 || !output.includes(settings.wheel.version)) {
    const reason = output.trim().split('\n').at(-1) ?? '';
    throw new Error(`xllamacpp ${settings.wheel.version} does not run on this machine: ${reason}`);
  }
}

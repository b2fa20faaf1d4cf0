import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation, InstallationWay } from './installation.ts';
import { findPython, installPackages } from './python-packages.ts';
import { runProgram } from './run-program.ts';
import { launcherArguments } from './runtime-manifest.ts';
import { targetOf, type Backend } from './target.ts';

const probeTimeoutMs = 30_000;
const backends: readonly Backend[] = ['cpu', 'metal'];

/** Installs the Python package with the same server, with the user's own Python and pip. */
export const installWheel: InstallationWay = {
  engine: 'llama.cpp',
  format: 'gguf',

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
    const { version, minimumPythonMinor, sha256 } = installation.settings.wheel;
    const python = await findPython(minimumPythonMinor, installation);
    installation.report({
      type: 'install.step',
      message: `Installing xllamacpp ${version} with pip`,
    });
    const requirements = join(installation.stagingFolder, 'requirements.txt');
    await writeFile(requirements, `xllamacpp==${version} --hash=sha256:${sha256[target] ?? ''}\n`);
    await installPackages(python, requirements, installation);
    await checkServer(python, installation);
    return { source: 'wheel', python };
  },
};

/** Loads the package in the same way as the launcher, and compares its version. */
async function checkServer(
  python: string,
  { settings, contentFolder, stagingFolder, report, signal }: Installation,
): Promise<void> {
  report({ type: 'install.step', message: 'Checking that the engine starts' });
  const versionArguments = [
    ...launcherArguments(settings.launchers.wheel, contentFolder),
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

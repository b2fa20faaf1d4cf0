import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallationWay } from './installation.ts';
import { checkPythonServer, findPython, installPackages } from './python-packages.ts';
import { targetOf, type Backend } from './target.ts';

const probeTimeoutMs = 30_000;
const backends: readonly Backend[] = ['cpu', 'metal'];

/** Installs the Python package that contains the same server, with the user's own Python and pip. */
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
    await checkPythonServer(python, installation, {
      launcher: installation.settings.launchers.wheel,
      server: `xllamacpp ${version}`,
      expected: version,
      timeoutMs: probeTimeoutMs,
    });
    return { source: 'wheel', python };
  },
};

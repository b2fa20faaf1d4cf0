import { dirname, join } from 'node:path';
import type { InstallationWay } from './installation.ts';
import { checkPythonServer, findPython, installPackages } from './python-packages.ts';
import { targetOf, type Backend } from './target.ts';

/** Long, since Python compiles the packages when they are first imported. */
const checkTimeoutMs = 5 * 60_000;
const backends: readonly Backend[] = ['metal', 'cpu'];

/** Installs mlx-lm and the packages that it needs, with the user's own Python and pip. */
export const installMlx: InstallationWay = {
  engine: 'mlx-lm',
  format: 'mlx',

  plan: async ({ settings: { machine, mlx } }) => {
    const target = backends
      .map((backend) => targetOf(machine, backend))
      .find((candidate) => mlx.targets.includes(candidate));
    if (target !== undefined) return { target, version: mlx.version };
    const known = mlx.targets.join(', ');
    const found = targetOf(machine, '').replace(/-$/, '');
    throw new Error(`MLX does not run on ${found}, only on ${known}`);
  },

  fill: async (_plan, installation) => {
    const { mlx, launchers } = installation.settings;
    const python = await findPython(mlx.minimumPythonMinor, installation);
    const message = `Installing mlx-lm ${mlx.version} with pip`;
    installation.report({ type: 'install.step', message });
    // Compiling all packages would take longer than the download. The check compiles only the packages that are used.
    const requirements = join(dirname(launchers.mlx), 'mlx-requirements.txt');
    await installPackages(python, requirements, installation, ['--no-compile']);
    await checkPythonServer(python, installation, {
      launcher: launchers.mlx,
      server: `mlx-lm ${mlx.version}`,
      expected: `version: ${mlx.version} `,
      timeoutMs: checkTimeoutMs,
    });
    return { source: 'mlx-lm', python };
  },
};

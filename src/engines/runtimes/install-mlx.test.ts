import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchers } from '../../../test/setup/engine/shared-runtimes.ts';
import { projectFolder } from '../../../test/setup/project-folder.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { pinnedMlx } from './installation.ts';
import { createRuntimeManager } from './runtime-manager.ts';
import { writeManifest } from './runtime-manifest.ts';
import type { Machine } from './target.ts';

/** `npm run test:mlx` installs and starts the real packages. */
const folder = useTemporaryFolder();
const manager = (machine: Machine = { platform: 'linux', architecture: 'x64' }) =>
  createRuntimeManager({
    runtimesFolder: folder.path,
    launchers,
    environment: { PATH: '/nowhere' },
    logger: createLogger('silent'),
    machine,
  });

async function place(name: string, version: string, format: 'gguf' | 'mlx'): Promise<void> {
  const path = join(folder.path, `${name}-${version}`);
  await mkdir(path, { recursive: true });
  await writeManifest(path, {
    formatVersion: 1,
    name,
    version,
    supportedFormats: [format],
    installedAt: '2026-01-01T00:00:00.000Z',
    origin: { source: format === 'mlx' ? 'mlx-lm' : 'wheel', python: process.execPath },
  });
}

describe('the packages of the MLX runtime', () => {
  it('have a version and hashes each, and are without torch', async () => {
    const file = join(projectFolder, 'src/engines/backends/mlx/mlx-requirements.txt');
    const requirements = (await readFile(file, 'utf8')).replaceAll('\\\n', '').trim().split('\n');
    expect(requirements).toContainEqual(expect.stringContaining(`mlx-lm==${pinnedMlx.version} `));
    for (const requirement of requirements) {
      expect(requirement).toMatch(
        /^[a-z\d-]+==[\d.]+( ; sys_platform == "\w+")?(\s+--hash=sha256:[\da-f]{64})+$/,
      );
      expect(requirement).not.toMatch(/^(?:torch|tensorflow|jax)==/);
    }
  });
});

describe('installing the MLX runtime', () => {
  it('needs a machine with MLX', async () => {
    await expect(
      manager({ platform: 'win32', architecture: 'x64' }).install({ format: 'mlx' }),
    ).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringMatching(/MLX does not run on windows-x64, only on macos-arm64.*GGUF/),
    });
  });

  it('needs Python', async () => {
    await expect(manager().install({ format: 'mlx' })).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringContaining('Python 3.11 or newer with pip is needed'),
    });
  });

  it.each([
    ['from', { from: 'wheel' }],
    ['backend', { backend: 'cpu' }],
  ] as const)('refuses %s', async (field, options) => {
    await expect(manager().install({ format: 'mlx', ...options })).rejects.toMatchObject({
      code: 'invalid_value',
      field,
    });
  });
});

describe('runtimes of two formats', () => {
  it('are active and selected apart, those for GGUF first', async () => {
    await place('mlx-lm-linux-x64-cpu', pinnedMlx.version, 'mlx');
    await place('mlx-lm-linux-x64-cpu', '0.1.0', 'mlx');
    await place('llama.cpp-linux-x64-cpu', 'b1', 'gguf');
    await place('llama.cpp-linux-x64-cpu', 'b2', 'gguf');
    const runtimes = manager();
    expect(await runtimes.resolve('mlx')).toMatchObject({
      version: pinnedMlx.version,
      leadingArguments: ['-I', launchers.mlx, '--runtime-folder', expect.any(String)],
    });
    await runtimes.select('llama.cpp-linux-x64-cpu', 'b1');
    await runtimes.select('mlx-lm-linux-x64-cpu', '0.1.0');
    expect(await runtimes.list()).toMatchObject([
      { version: 'b1', isActive: true, isSelected: true },
      { version: 'b2', isActive: false },
      { version: '0.1.0', isActive: true, isSelected: true },
      { version: pinnedMlx.version, isActive: false, isRecommended: true },
    ]);
    await runtimes.select(null);
    expect(await runtimes.resolve('mlx')).toMatchObject({ version: pinnedMlx.version });
  });
});

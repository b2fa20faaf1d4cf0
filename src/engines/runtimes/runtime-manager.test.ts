import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../telemetry/logger.ts';
import { pinnedRelease } from './pinned-release.ts';
import { writeManifest, type RuntimeOrigin } from './runtime-manifest.ts';
import { createRuntimeManager } from './runtime-manager.ts';
import type { RuntimeManager } from './runtime.ts';
import { fakeServerProgram } from '../../../test/setup/engine/fake-release.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

let home: string;
let logged: string[];

beforeEach(async () => {
  home = await temporaryFolder();
  logged = [];
});

function manager(configuredServer?: string): RuntimeManager {
  return createRuntimeManager({
    runtimesFolder: join(home, 'runtimes'),
    configuredServer,
    launchers: { wheel: '/launcher.py', mlx: '/mlx-launcher.py' },
    environment: { PATH: `relative:${join(home, 'bin')}` },
    logger: createLogger('warn', { write: (line) => logged.push(line) }),
    machine: { platform: 'linux', architecture: 'x64' },
  });
}

async function program(path: string, content = fakeServerProgram('b7')): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await chmod(path, 0o755);
  return path;
}

async function installed(version: string, installedAt: string, origin?: RuntimeOrigin) {
  const folder = join(home, 'runtimes', `any-name-${version}`);
  await program(join(folder, 'llama-server'));
  await writeManifest(folder, {
    formatVersion: 1,
    name: 'llama.cpp-linux-x64-cpu',
    version,
    supportedFormats: ['gguf'],
    installedAt,
    origin: origin ?? { source: 'release', executable: 'llama-server' },
  });
  return folder;
}

describe('RuntimeManager', () => {
  it('finds no runtime if there is none', async () => {
    expect(await manager().list()).toStrictEqual([]);
    expect(await manager().resolve('gguf')).toBeUndefined();
  });

  it('prefers the setting, then the installed, newest first, then PATH', async () => {
    const configured = await program(join(home, 'own', 'my-server'), fakeServerProgram('b1'));
    await program(join(home, 'bin', 'llama-server'), fakeServerProgram('b2'));
    await installed('b3', '2026-01-01T00:00:00.000Z');
    await installed('b4', '2026-01-02T00:00:00.000Z');
    const described = (await manager(configured).list()).map(
      ({ source, version }) => `${source} ${version}`,
    );
    expect(described).toStrictEqual(['setting b1', 'release b4', 'release b3', 'path b2']);
    expect(await manager(configured).resolve('gguf')).toMatchObject({
      source: 'setting',
      command: configured,
      name: 'llama.cpp-linux-x64-custom',
    });
    expect(await manager().resolve('gguf')).toMatchObject({ version: 'b4' });
    expect(await manager().resolve('mlx')).toBeUndefined();
  });

  it('prefers the selected runtime, then one that this version recommends, then the newest', async () => {
    const [name, cpu] = ['llama.cpp-linux-x64-cpu', 'release'];
    for (const [index, version] of ['b3', pinnedRelease.tag, 'b4', 'b5'].entries()) {
      await installed(version, `2026-01-0${index + 1}T00:00:00.000Z`);
    }
    const versions = async () => (await manager().list()).map(({ version }) => version);
    expect(await versions()).toStrictEqual([pinnedRelease.tag, 'b5', 'b4', 'b3']);
    expect(await manager().select(name, 'b9')).toBe(false);
    expect(await manager().select(name, 'b3')).toBe(true);
    expect(await versions()).toStrictEqual(['b3', pinnedRelease.tag, 'b5', 'b4']);
    expect(await manager().resolve('gguf')).toMatchObject({ source: cpu, version: 'b3' });
    await manager().remove(name, 'b3');
    expect(await manager().resolve('gguf')).toMatchObject({ version: pinnedRelease.tag });
    expect(await manager().select(name)).toBe(true);
    expect((await manager().list())[0]).toMatchObject({ version: 'b5', isSelected: true });
    expect(await manager().select(null)).toBe(true);
    expect((await manager().list())[0]).toMatchObject({ isSelected: false, isRecommended: true });
  });

  it.each(['', 'not JSON', '{"name": 1}', '[]'])('ignores the selection %j', async (text) => {
    await installed('b3', '2026-01-01T00:00:00.000Z');
    await writeFile(join(home, 'runtimes', 'selected.json'), text);
    expect(await manager().resolve('gguf')).toMatchObject({ version: 'b3' });
  });

  it('resolves a configured name on PATH', async () => {
    const command = await program(join(home, 'bin', 'other-server'));
    expect(await manager('other-server').resolve('gguf')).toMatchObject({ command });
  });

  it.each(['/nowhere/llama-server', 'no-such-program', tmpdir()])(
    'names the setting if it is not a program: %s',
    async (configured) => {
      await installed('b3', '2026-01-01T00:00:00.000Z');
      await expect(manager(configured).resolve('gguf')).rejects.toMatchObject({
        code: 'runtime_unavailable',
        message: expect.stringContaining(`engine.llamaServer is "${configured}"`),
      });
    },
  );

  it('reads the version again only after the binary has changed', async () => {
    const command = await program(join(home, 'bin', 'llama-server'), '#!/bin/sh\nexit 1\n');
    const runtimes = manager();
    expect(await runtimes.resolve('gguf')).toMatchObject({ version: 'unknown' });
    await rm(command);
    await program(command, fakeServerProgram('b9'));
    expect(await runtimes.resolve('gguf')).toMatchObject({ version: 'b9' });
  });

  it('starts a wheel with the current launcher', async () => {
    const python = await program(join(home, 'python'));
    const folder = await installed('b5', '2026-01-01T00:00:00.000Z', { source: 'wheel', python });
    expect(await manager().resolve('gguf')).toMatchObject({
      source: 'wheel',
      command: python,
      leadingArguments: ['-I', '/launcher.py', '--runtime-folder', folder],
    });
  });

  it.each([
    ['a manifest that is not JSON', 'not JSON'],
    ['a manifest of another shape', '{"formatVersion": 2}'],
    [
      'a binary outside the folder',
      '{"formatVersion":1,"name":"n","version":"v","supportedFormats":["gguf"],' +
        '"installedAt":"2026-01-01T00:00:00Z","origin":{"source":"release","executable":"../x"}}',
    ],
  ])('ignores %s, with a warning', async (_, manifest) => {
    const folder = await installed('b3', '2026-01-01T00:00:00.000Z');
    await writeFile(join(folder, 'runtime.json'), manifest);
    expect(await manager().list()).toStrictEqual([]);
    expect(logged.join('')).toContain('runtime.ignored');
  });

  it('ignores a wheel whose Python is missing, with a warning', async () => {
    await installed('b5', '2026-01-01T00:00:00.000Z', { source: 'wheel', python: '/gone/python' });
    expect(await manager().resolve('gguf')).toBeUndefined();
    expect(logged.join('')).toContain('/gone/python is not an executable file');
  });

  it('removes by name and version, and only installed runtimes', async () => {
    await installed('b3', '2026-01-01T00:00:00.000Z');
    await installed('b4', '2026-01-02T00:00:00.000Z');
    const runtimes = manager();
    expect(await runtimes.remove('llama.cpp-linux-x64-cpu', 'b9')).toBe(false);
    expect(await runtimes.remove('../bin')).toBe(false);
    expect(await runtimes.remove('llama.cpp-linux-x64-cpu', 'b4')).toBe(true);
    expect(await readdir(join(home, 'runtimes'))).toStrictEqual(['any-name-b3']);
    expect(await runtimes.remove('llama.cpp-linux-x64-cpu')).toBe(true);
    expect(await runtimes.list()).toStrictEqual([]);
  });
});

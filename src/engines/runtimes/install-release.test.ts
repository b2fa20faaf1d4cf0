import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../telemetry/logger.ts';
import { createRuntimeManager, type RuntimeManagerOptions } from './runtime-manager.ts';
import type { InstallProgress, RuntimeManager } from './runtime.ts';
import { fakeServerProgram, pinOf, tarballOf } from '../../../test/setup/engine/fake-release.ts';
import {
  startFakeReleaseServer,
  type Behavior,
  type FakeReleaseServer,
} from '../../../test/setup/engine/fake-release-server.ts';
import { observeFlushes } from '../../../test/setup/observe-flushes.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const fileName = 'llama-b42-bin-ubuntu-x64.tar.gz';
const good = tarballOf([
  { path: 'llama-b42/llama-server', content: fakeServerProgram('b42') },
  { path: 'llama-b42/libllama.so.0', content: 'x'.repeat(200_000) },
  { path: 'llama-b42/libllama.so', linkTo: 'libllama.so.0' },
  { path: 'llama-b42/licenses/MIT', content: 'x' },
]);

let folder: string;
let server: FakeReleaseServer;

beforeEach(async () => {
  folder = join(await temporaryFolder(), 'runtimes');
  server = await startFakeReleaseServer({ [fileName]: good });
});

afterEach(async () => {
  await server.close();
});

function manager(options: Partial<RuntimeManagerOptions> = {}): RuntimeManager {
  return createRuntimeManager({
    runtimesFolder: folder,
    releaseBaseUrl: server.url,
    launchers: { wheel: '/nowhere/wheel-launcher.py', mlx: '/nowhere/mlx-launcher.py' },
    // The fake server is a shell script.
    environment: { PATH: '' },
    logger: createLogger('silent'),
    machine: { platform: 'linux', architecture: 'x64' },
    release: pinOf('b42', fileName, good),
    retryDelaysMs: [1, 1],
    ...options,
  });
}

describe('installing the release', () => {
  it('installs a runtime that starts, and reports progress', async () => {
    const progress: InstallProgress[] = [];
    const runtime = await manager().install({
      onProgress: (event) => progress.push(event),
    });
    expect(runtime).toMatchObject({
      name: 'llama.cpp-linux-x64-cpu',
      version: 'b42',
      source: 'release',
      supportedFormats: ['gguf'],
      command: join(folder, 'llama.cpp-linux-x64-cpu-b42', 'llama-server'),
      leadingArguments: [],
    });
    expect((await stat(runtime.command)).mode & 0o111).not.toBe(0);
    expect(server.requests).toStrictEqual([`/releases/b42/${fileName}`]);
    expect(progress.at(0)).toStrictEqual({
      type: 'install.step',
      message: `Downloading ${fileName}`,
    });
    expect(progress).toContainEqual({
      type: 'download.progress',
      receivedBytes: good.length,
      totalBytes: good.length,
    });
    expect(await readdir(folder)).toStrictEqual(['llama.cpp-linux-x64-cpu-b42']);
  });

  it('has all files on the disk before the runtime is there', async () => {
    const target = join(folder, 'llama.cpp-linux-x64-cpu-b42');
    const before = new Set<number>();
    const after = new Set<number>();
    await observeFlushes((file) => (existsSync(target) ? after : before).add(file));
    await manager().install({});
    const paths = await readdir(target, { recursive: true, withFileTypes: true });
    const needed = paths.filter((path) => !path.isSymbolicLink());
    expect(needed.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['llama-server', 'runtime.json', 'libllama.so.0', 'licenses', 'MIT']),
    );
    for (const { name, parentPath } of needed) {
      expect(before, name).toContain((await stat(join(parentPath, name))).ino);
    }
    expect(before).toContain((await stat(target)).ino);
    expect(after).toContain((await stat(folder)).ino);
  });

  it.each<[string, readonly Behavior[], number]>([
    ['a server that recovers', ['broken', 'good'], 2],
    ['a transfer that breaks once', ['reset', 'good'], 2],
    ['a redirect', ['redirected', 'good'], 2],
  ])('copes with %s', async (_, behaviors, requestCount) => {
    server.behave(...behaviors);
    expect(await manager().install({ from: 'release' })).toMatchObject({ version: 'b42' });
    expect(server.requests).toHaveLength(requestCount);
  });

  it.each<[string, Behavior, string, number]>([
    ['a missing file', 'not found', 'answered 404', 1],
    ['a server that is down', 'broken', 'answered 500', 3],
    ['transfers that break', 'reset', 'the transfer broke off after', 3],
    ['a file that is cut short', 'truncated', 'its SHA-256 is', 1],
  ])('leaves nothing behind after %s', async (_, behavior, message, requestCount) => {
    server.behave(behavior);
    await expect(manager().install({ from: 'release' })).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringContaining(message),
    });
    expect(server.requests).toHaveLength(requestCount);
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it('rejects a file with another hash, and leaves nothing behind', async () => {
    const release = pinOf('b42', fileName, Buffer.from('what was published'));
    await expect(manager({ release }).install({ from: 'release' })).rejects.toThrow(
      'the file was changed or damaged',
    );
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it('lists the solutions if there is no network and no Python', async () => {
    await server.close();
    const error: unknown = await manager()
      .install({})
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'runtime_unavailable', status: 503 });
    const { message } = error as Error;
    expect(message).toContain("can't be reached (ECONNREFUSED)");
    expect(message).toContain('no Python is on PATH');
    expect(message).toContain('engine.llamaServer');
    expect(message).toContain('on PATH');
    expect(message).toContain('hearth runtime install');
    expect(message).not.toContain(folder);
    expect(await readdir(folder)).toStrictEqual([]);
    server = await startFakeReleaseServer({});
  });

  it('stops when aborted, and leaves nothing behind', async () => {
    server.behave('stalled');
    const reason = new Error('not now');
    const controller = new AbortController();
    const installation = manager().install({
      signal: controller.signal,
      onProgress: ({ type }) => type === 'download.progress' && controller.abort(reason),
    });
    await expect(installation).rejects.toBe(reason);
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it.each([
    ['leads outside', [{ path: '../llama-server', content: 'x' }]],
    ['is absolute', [{ path: '/tmp/llama-server', content: 'x' }]],
    ['links outside', [{ path: 'llama/llama-server', linkTo: '../../outside' }]],
  ])('rejects an archive with a path that %s', async (_, entries) => {
    const hostile = tarballOf(entries);
    await server.close();
    server = await startFakeReleaseServer({ [fileName]: hostile });
    const release = pinOf('b42', fileName, hostile);
    const options = { release, releaseBaseUrl: server.url };
    await expect(manager(options).install({ from: 'release' })).rejects.toThrow('outside');
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it.each([
    ['is not in the archive', [{ path: 'README', content: 'x' }], 'no executable llama-server'],
    ['does not run', [{ path: 'llama-server', content: '#!/bin/sh\nexit 3\n' }], 'does not run'],
    ['is another build', [{ path: 'llama-server', content: fakeServerProgram('b41') }], 'b41'],
  ])('rejects a release whose server %s', async (_, entries, message) => {
    const useless = tarballOf([...entries, { path: 'LICENSE', content: 'x' }]);
    await server.close();
    server = await startFakeReleaseServer({ [fileName]: useless });
    const release = pinOf('b42', fileName, useless);
    const options = { release, releaseBaseUrl: server.url };
    await expect(manager(options).install({ from: 'release' })).rejects.toThrow(message);
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it('rejects a machine without a pinned build', async () => {
    const machine = { platform: 'linux', architecture: 'riscv64' } as const;
    await expect(manager({ machine }).install({ from: 'release' })).rejects.toThrow(
      'no build with a verified hash is known for linux-riscv64-cpu',
    );
    expect(server.requests).toStrictEqual([]);
  });

  it('installs once for concurrent callers, in one process and in two', async () => {
    const one = manager();
    const other = manager();
    const runtimes = await Promise.all([one.install({}), one.install({}), other.install({})]);
    expect(new Set(runtimes.map(({ command }) => command)).size).toBe(1);
    expect(server.requests).toHaveLength(2);
    expect(await readdir(folder)).toStrictEqual(['llama.cpp-linux-x64-cpu-b42']);
  });

  it('downloads nothing if the runtime is already installed', async () => {
    const first = await manager().install({});
    expect(await manager().install({})).toStrictEqual(first);
    expect(server.requests).toHaveLength(1);
  });

  it('continues for the other callers when one aborts', async () => {
    const one = manager();
    const controller = new AbortController();
    const abandoned = one.install({ signal: controller.signal });
    const kept = one.install({ onProgress: () => controller.abort(new Error('not now')) });
    await expect(abandoned).rejects.toThrow('not now');
    expect(await kept).toMatchObject({ version: 'b42' });
    expect(server.requests).toHaveLength(1);
  });

  it('replaces a folder at the target that is not a runtime', async () => {
    const first = await manager().install({});
    await writeFile(join(first.folder ?? '', 'runtime.json'), '{}');
    expect(await manager().install({})).toMatchObject({ version: 'b42' });
    expect(await manager().resolve('gguf')).toMatchObject({ source: 'release' });
  });
});

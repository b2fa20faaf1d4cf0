import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../telemetry/logger.ts';
import { pinnedWheel, type PinnedWheel } from './pinned-release.ts';
import { runProgram } from './run-program.ts';
import { createRuntimeManager } from './runtime-manager.ts';
import type { RuntimeManager } from './runtime.ts';
import { targetOf } from './target.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const launcher = fileURLToPath(new URL('wheel-launcher.py', import.meta.url));
const thisMachine = { platform: process.platform, architecture: process.arch };

let home: string;
let folder: string;

beforeEach(async () => {
  home = await temporaryFolder();
  folder = join(home, 'runtimes');
});

function manager(
  environment: NodeJS.ProcessEnv,
  options: { readonly wheel?: PinnedWheel; readonly architecture?: string } = {},
): RuntimeManager {
  const { architecture = process.arch, wheel = pinnedWheel } = options;
  return createRuntimeManager({
    runtimesFolder: folder,
    launchers: { wheel: launcher, mlx: launcher },
    environment,
    logger: createLogger('silent'),
    machine: { ...thisMachine, architecture },
    wheel,
  });
}

/** Creates a folder for PATH with a fake Python that runs the script. */
async function fakePython(script: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'python3'), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, 'python3'), 0o755);
  return { PATH: `${bin}:/usr/bin:/bin` };
}

const answersAs = (version: string): string =>
  `if [ "$2" = -c ]; then echo "[\\"$0\\", ${version}]"; exit; fi`;

const isPinned = ['cpu', 'metal'].some(
  (backend) => pinnedWheel.sha256[targetOf(thisMachine, backend)] !== undefined,
);

describe('installing the wheel', () => {
  // Needs Python 3.10 or newer with pip (apt install python3 python3-pip) and a package index.
  it.runIf(isPinned)('installs a runtime that starts', { timeout: 300_000 }, async () => {
    const runtime = await manager(process.env).install({ from: 'wheel' });
    expect(runtime).toMatchObject({
      source: 'wheel',
      version: pinnedWheel.build,
      supportedFormats: ['gguf'],
      leadingArguments: ['-I', launcher, '--runtime-folder', runtime.folder],
    });
    expect(await readdir(folder)).toStrictEqual([`${runtime.name}-${pinnedWheel.build}`]);
    const { exitCode, output } = await runProgram(
      runtime.command,
      [...runtime.leadingArguments, '--version'],
      { environment: process.env, timeoutMs: 60_000 },
    );
    expect({ exitCode, output }).toStrictEqual({
      exitCode: 0,
      output: `version: ${pinnedWheel.version}\n`,
    });
  });

  it.runIf(isPinned)('rejects a wheel with another hash', { timeout: 300_000 }, async () => {
    const sha256 = Object.fromEntries(
      Object.keys(pinnedWheel.sha256).map((target) => [target, '0'.repeat(64)]),
    );
    const wheel = { ...pinnedWheel, sha256 };
    await expect(manager(process.env, { wheel }).install({ from: 'wheel' })).rejects.toThrow(
      'pip failed',
    );
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it.each([
    ['is too old', answersAs('3, 9'), 'python3 is 3.9'],
    ['has no pip', `${answersAs('3, 12')}\nexit 1`, 'python3 has no pip'],
    ['does not run', 'exit 1', 'python3 does not run'],
    [
      'has a pip that fails',
      `${answersAs('3, 12')}\n[ "$3" = --version ] && exit\necho "ERROR: no wheel here"; exit 1`,
      'pip failed: no wheel here',
    ],
  ])('explains that Python %s', async (_, script, message) => {
    const environment = await fakePython(script);
    const runtimes = manager(environment);
    await expect(runtimes.install({ from: 'wheel' })).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringContaining(message),
    });
    expect(await readdir(folder)).toStrictEqual([]);
  });

  it('lists the machines with a wheel', async () => {
    const runtimes = manager({ PATH: '' }, { architecture: 'ppc64' });
    await expect(runtimes.install({ from: 'wheel' })).rejects.toThrow('there is no wheel for');
  });

  it('stops pip when aborted, and leaves nothing behind', async () => {
    const started = join(home, 'started');
    const script = `${answersAs('3, 12')}\n[ "$3" = --version ] && exit\ntouch ${started}; exec sleep 60`;
    const environment = await fakePython(script);
    const controller = new AbortController();
    const outcome = manager(environment)
      .install({ from: 'wheel', signal: controller.signal })
      .catch((reason: unknown) => reason);
    await expect.poll(() => readdir(home)).toContain('started');
    const reason = new Error('not now');
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    expect(await readdir(folder)).toStrictEqual([]);
  });
});

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createHttpClient } from '../../platform/net/http-client.ts';
import { parseVersion } from './binary-version.ts';
import { chooseBackend } from './choose-backend.ts';
import { downloadArchive } from './download-archive.ts';
import { isExecutable } from './find-executable.ts';
import type { Installation, InstallationWay } from './installation.ts';
import type { PinnedBuild } from './pinned-release.ts';
import { runProgram } from './run-program.ts';
import { targetOf } from './target.ts';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';

const checkTimeoutMs = 60_000;

/** Installs the official llama.cpp release that is pinned for this machine. */
export const installRelease: InstallationWay = {
  engine: 'llama.cpp',
  format: 'gguf',

  plan: async ({ settings, backend, signal }) => {
    const { machine, release, environment } = settings;
    const chosen = backend ?? (await chooseBackend(release, machine, environment, signal));
    return { target: targetOf(machine, chosen), version: release.tag };
  },

  fill: async ({ target }, installation) => {
    const { settings, contentFolder } = installation;
    const { machine, release } = settings;
    const build = release.builds[target];
    if (build === undefined) {
      const known = Object.keys(release.builds).join(', ');
      throw new Error(`no build with a verified hash is known for ${target}, only for ${known}`);
    }
    await mkdir(contentFolder);
    await fetchArchives(build, installation);
    const executable = machine.platform === 'win32' ? 'llama-server.exe' : 'llama-server';
    await checkServer(join(contentFolder, executable), installation);
    return { source: 'release', executable };
  },
};

async function fetchArchives(build: PinnedBuild, installation: Installation): Promise<void> {
  const { settings, stagingFolder, contentFolder, report, signal } = installation;
  const client = createHttpClient({ environment: settings.environment });
  try {
    for (const { fileName, sha256 } of build.archives) {
      const url = new URL(
        `${settings.releaseBaseUrl.replace(/\/+$/, '')}/${settings.release.tag}/${fileName}`,
      );
      const file = join(stagingFolder, fileName);
      report({ type: 'install.step', message: `Downloading ${fileName}` });
      const onProgress = (receivedBytes: number, totalBytes?: number): void =>
        report({
          type: 'download.progress',
          receivedBytes,
          ...(totalBytes === undefined ? {} : { totalBytes }),
        });
      await downloadArchive(
        client,
        { url, sha256, file, retryDelaysMs: settings.retryDelaysMs, onProgress },
        signal,
      );
      report({ type: 'install.step', message: `Unpacking ${fileName}` });
      const { extractArchive } = await import('./extract-archive.ts');
      const unpacked = join(stagingFolder, `unpacked-${fileName}`);
      await extractArchive(file, unpacked, signal);
      await moveContents(unpacked, contentFolder);
      await rm(file);
    }
  } finally {
    await client.close();
  }
}

/** Moves the content of an archive, without its top folder if it has only one. */
async function moveContents(unpacked: string, target: string): Promise<void> {
  const [first, ...others] = await readdir(unpacked);
  if (first === undefined) throw new Error('the archive is empty');
  const single = join(unpacked, first);
  const isWrapped = others.length === 0 && (await stat(single)).isDirectory();
  const source = isWrapped ? single : unpacked;
  for (const name of await readdir(source)) {
    await renameWithRetry(join(source, name), join(target, name));
  }
}

async function checkServer(
  command: string,
  { settings, stagingFolder, report, signal }: Installation,
): Promise<void> {
  report({ type: 'install.step', message: 'Checking that the engine starts' });
  if (!(await isExecutable(command))) {
    throw new Error(`the archive has no executable ${basename(command)}`);
  }
  const { exitCode, output } = await runProgram(command, ['--version'], {
    environment: settings.environment,
    timeoutMs: checkTimeoutMs,
    workingFolder: stagingFolder,
    signal,
  });
  if (exitCode !== 0) {
    const reason = output.trim().split('\n').at(-1) ?? '';
    throw new Error(`its server does not run on this machine: ${reason}`);
  }
  const version = parseVersion(output) ?? settings.release.tag;
  if (version !== settings.release.tag) {
    throw new Error(`its server says that it is ${version}, not ${settings.release.tag}`);
  }
}

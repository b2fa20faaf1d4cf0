import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const run = promisify(execFile);

/** Maximum exposure in `systemd-analyze security`, in tenths. It is due to the network, GPUs and /proc/meminfo. */
const maxExposure = '20';

async function systemdAnalyze(...args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await run('systemd-analyze', [...args]);
    return stdout + stderr;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (code === 'ENOENT') {
      throw new Error('systemd-analyze is missing. On Debian: apt-get install systemd', {
        cause: error,
      });
    }
    throw new Error(`systemd-analyze ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
  }
}

async function writeUnit(...args: readonly string[]): Promise<string> {
  const home = await temporaryFolder();
  const command = ['service', 'install', '--dry-run', '--json', ...args];
  // Without a home folder of its own, the service gets the machine's.
  const environment = { HEARTH_HOME: '' };
  const { stdout } = await runHearth(command, { home: '', environment });
  const { steps } = JSON.parse(stdout) as { steps: { path?: string; content?: string }[] };
  const file = join(home, 'hearth.service');
  const unit = steps.find(({ path }) => path?.endsWith('/hearth.service'));
  await writeFile(file, unit?.content ?? '');
  return file;
}

describe.runIf(process.platform === 'linux')('the systemd unit', () => {
  it.each([
    ['of the machine', []],
    ['of the machine on port 80', ['--port', '80', '--models-dir', '/srv/my models/100%']],
    ['of a user', ['--user']],
  ])('%s is valid', async (_, args) => {
    const file = await writeUnit(...args);
    expect(await systemdAnalyze('verify', '--man=no', file)).toBe('');
  });

  it.each([[[]], [['--port', '80']]])('exposes little of the machine with %j', async (args) => {
    const file = await writeUnit(...args);
    const report = await systemdAnalyze(
      'security',
      '--offline=yes',
      '--no-pager',
      `--threshold=${maxExposure}`,
      file,
    );
    expect(report).toContain('Overall exposure level');
    for (const protection of ['ProtectSystem', 'NoNewPrivileges', 'RestrictNamespaces=~user']) {
      expect(report).toMatch(new RegExp(`✓ ${protection}`));
    }
  });
});

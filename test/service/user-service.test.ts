import { execFileSync } from 'node:child_process';
import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../setup/server/api.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { userService, type UserService } from '../setup/service/user-service.ts';
import { temporaryFolder, useTemporaryFolder } from '../setup/temporary-folder.ts';

interface Status {
  readonly installed: boolean;
  readonly running: boolean;
  readonly state: string | null;
  readonly url: string;
  readonly pid: number;
}

async function statusOf(user: UserService): Promise<Status> {
  const { stdout } = await user.service('status', '--user', '--json');
  return JSON.parse(stdout) as Status;
}

async function install(user: UserService, ...flags: readonly string[]) {
  const outcome = await user.service('install', '--user', ...user.serveFlags, ...flags);
  expect(outcome).toMatchObject({ exitCode: 0 });
  return outcome;
}

describe('hearth service install --user', () => {
  // covers cli-12
  it('starts the server from its unit, which reports that it is ready, alive and stopping', async () => {
    const user = await userService();
    const { stdout, stderr } = await install(user, '--preload', 'hearth/starter-embed');
    expect(stdout).toContain(`Installed and started hearth.service (${user.unitFile})`);
    expect(stderr).toContain('loginctl enable-linger');
    const { url, ...status } = await statusOf(user);
    expect(status).toMatchObject({ installed: true, running: true, state: 'active' });
    expect(stdout).toContain(`Hearth is listening on ${url}`);
    expect(await user.state('notify.log')).toContain(`READY=1\nSTATUS=Listening on ${url}\n`);
    await expect
      .poll(() => user.state('notify.log'), { timeout: 20_000 })
      .toContain('WATCHDOG=1\n');
    const loaded = async () => (await get(url, '/api/v1/status')).body.instances;
    await expect
      .poll(loaded, { timeout: 20_000 })
      .toMatchObject([{ model: 'hearth/starter-embed', state: 'ready', loaded_by: 'name' }]);

    const logs = await user.service('logs', '--user', '--json', '-n', '50');
    const lines = logs.stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('listening');

    const removed = await user.service('uninstall', '--user');
    expect(removed).toMatchObject({ exitCode: 0, stdout: 'Removed hearth.service\n' });
    expect(removed.stderr).toContain(`Kept the data in ${user.home}`);
    expect(await user.state('notify.log')).toContain('STOPPING=1\n');
    await expect(stat(user.unitFile)).rejects.toThrow('ENOENT');
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    expect((await stat(join(user.home, 'hearth.db'))).isFile()).toBe(true);
  });

  it('changes nothing if it is repeated, and restarts the server if its options change', async () => {
    const user = await userService();
    await install(user);
    const { pid } = await statusOf(user);
    const again = await install(user);
    expect(again.stdout).toContain('hearth.service was already installed.');
    expect((await statusOf(user)).pid).toBe(pid);
    const changed = await install(user, '--models-ttl-seconds', '60');
    expect(changed.stdout).toContain('Installed and started hearth.service');
    expect((await statusOf(user)).pid).not.toBe(pid);
    const restarted = await user.service('restart', '--user');
    expect(restarted).toMatchObject({ exitCode: 0, stdout: 'Restarted hearth.service\n' });
  });

  it('is removed, too, if its file was deleted while it ran', async () => {
    const user = await userService();
    await install(user);
    await rm(user.unitFile);
    const status = await user.service('status', '--user');
    expect(status.exitCode).toBe(0);
    expect(status.stdout).toMatch(/^File +.*hearth\.service is missing: install or uninstall/m);
    const removed = await user.service('uninstall', '--user');
    expect(removed).toMatchObject({ exitCode: 0, stdout: 'Removed hearth.service\n' });
    expect(await statusOf(user)).toMatchObject({ installed: false, running: false });
    const again = await user.service('uninstall', '--user');
    expect(again).toMatchObject({ exitCode: 0, stderr: 'The service is not installed.\n' });
    const restart = await user.service('restart', '--user');
    expect(restart.stderr).toContain('Install it with `hearth service install`');
  });

  it('shows why the server does not start', async () => {
    const user = await userService();
    const taken = ['--models-dir', join(user.home, 'hearth.db/models')];
    await writeFile(join(user.home, 'hearth.db'), '');
    const failed = await user.service('install', '--user', ...user.serveFlags, ...taken);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      'hearth.service is installed, but did not start: Expected a folder, found a file',
    );
    await rm(join(user.home, 'hearth.db'));
  });

  it('refuses secrets, which every user could read', async () => {
    const user = await userService();
    const refused = await user.service('install', '--user', '--hub-token', 'hf_secret');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`Set it in ${join(user.home, 'config.json')}`);
    expect(refused.stderr).not.toContain('hf_secret');
  });

  // covers cli-12
  it('prints its files and commands in a dry run, and writes nothing', async () => {
    const user = await userService();
    const { stdout } = await user.service('install', '--user', '--dry-run', '--preload', 'a/b');
    expect(stdout).toContain(`# Write ${user.unitFile}\n[Unit]\n`);
    expect(stdout).toMatch(/^ExecStart=.*serve --models-preload=a\/b$/m);
    expect(stdout).toContain('$ systemctl --user enable hearth.service\n');
    await expect(stat(user.unitFile)).rejects.toThrow('ENOENT');
  });
});

describe('without a systemd that answers', () => {
  it('names the remedy, and prints the unit in a dry run', async () => {
    const home = await temporaryFolder();
    const systemctl = join(home, 'systemctl');
    await writeFile(systemctl, '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n');
    await chmod(systemctl, 0o755);
    const environment = { PATH: home, HOME: home, XDG_CONFIG_HOME: home, SUDO_USER: '' };
    const command = ['service', 'install', '--user'];
    const failed = await runHearth(command, { home, environment });
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toContain('The systemd manager of this user does not answer.');
    const shown = await runHearth([...command, '--dry-run'], { home, environment });
    expect(shown).toMatchObject({ exitCode: 0 });
    const missing = await runHearth(['service', 'status', '--user', '--json'], {
      home,
      environment,
    });
    expect(JSON.parse(missing.stdout)).toMatchObject({
      installed: false,
      running: false,
      state: null,
    });
  });
});

describe('a home folder on a read-only disk', () => {
  const disk = useTemporaryFolder();
  let cannotMount = '';
  beforeAll(() => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', disk.path], {
        stdio: 'pipe',
      });
    } catch (error) {
      cannotMount = `a read-only disk can't be mounted here: ${String(error).trim()}`;
    }
  });
  afterAll(() => {
    if (cannotMount === '') execFileSync('umount', [disk.path]);
  });

  it('is refused before a file is written, with the remedy', async ({ skip }) => {
    skip(cannotMount !== '', cannotMount);
    const configFolder = await temporaryFolder();
    const home = join(disk.path, 'home');
    const environment = { XDG_CONFIG_HOME: configFolder, SUDO_USER: '' };
    const failed = await runHearth(['service', 'install', '--user'], { home, environment });
    expect(failed).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: `error: The home folder ${home} is on a read-only disk. Choose another one with --home.\n`,
    });
    expect(await readdir(configFolder)).toEqual([]);
  });
});

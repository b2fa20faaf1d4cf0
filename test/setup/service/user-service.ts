import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { linkRuntimes } from '../engine/link-runtimes.ts';
import { runHearth, type HearthOutcome } from '../cli/run-hearth.ts';
import { projectFolder } from '../project-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface UserService {
  readonly home: string;
  readonly unitFile: string;
  /** Options that every installation in these tests needs. */
  readonly serveFlags: readonly string[];
  /** Runs `hearth service ...` for this user. */
  service(...args: readonly string[]): Promise<HearthOutcome>;
  /** Content of a file of the fake systemd, such as `notify.log`. */
  state(name: string): Promise<string>;
}

/** A user with a home folder and a fake systemd, without a service. A running service stops after the test. */
export async function userService(): Promise<UserService> {
  const folder = await temporaryFolder();
  const [programs, state, home] = ['bin', 'state', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(programs);
  await mkdir(state);
  await mkdir(home, { mode: 0o700 });
  linkRuntimes(home);
  const standIn = join(programs, 'systemctl.py');
  await copyFile(join(projectFolder, 'test/setup/service/systemctl.py'), standIn);
  for (const name of ['systemctl', 'journalctl']) {
    const file = join(programs, name);
    await writeFile(file, `#!/bin/sh\nSTAND_IN_FOR=${name} exec python3 ${standIn} "$@"\n`);
    await chmod(file, 0o755);
  }
  const environment = {
    HOME: folder,
    SUDO_USER: '',
    XDG_CONFIG_HOME: join(folder, 'config'),
    SERVICE_STATE: state,
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  };
  const service = (...args: readonly string[]) =>
    runHearth(['service', ...args], { home, environment });
  onTestFinished(async () => {
    await service('uninstall', '--user');
  });
  return {
    home,
    unitFile: join(folder, 'config/systemd/user/hearth.service'),
    serveFlags: ['--port', '0'],
    service,
    state: (name) => readFile(join(state, name), 'utf8').catch(() => ''),
  };
}

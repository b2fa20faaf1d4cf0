import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { CommandContext } from '../command.ts';
import { readUserHome } from '../../platform/files/user-home.ts';
import { CommandError } from '../failure.ts';
import type { ServicePlatform, ServiceScope } from './service-definition.ts';

/** Folders and accounts of a machine that a service depends on. */
export interface ServiceMachine {
  readonly platform: ServicePlatform;
  readonly nodePath: string;
  readonly entryPoint: string;
  readonly user: { readonly name: string; readonly id: number };
  /** Default home folder of each scope. */
  readonly homes: Readonly<Record<ServiceScope, string>>;
  readonly serviceFolders: Readonly<Record<ServiceScope, string>>;
  readonly recordFolder: string;
  readonly isLingering: boolean;
  readonly deviceGroups: readonly string[];
}

/** @throws CommandError on a platform without a supported service manager. */
export async function readMachine(context: CommandContext): Promise<ServiceMachine> {
  const { environment, entryPoint } = context;
  const platform = process.platform;
  if (platform !== 'linux' && platform !== 'darwin' && platform !== 'win32') {
    throw new CommandError(
      `Hearth has no service for ${platform}. Run \`hearth serve\` under the service manager of this machine.`,
    );
  }
  const user = installingUser(environment);
  const folders = foldersOf(platform, {
    environment,
    userName: user.name,
    homeFolder: readUserHome() ?? '/',
  });
  return {
    platform,
    nodePath: process.execPath,
    entryPoint,
    user,
    ...folders,
    isLingering: existsSync(`/var/lib/systemd/linger/${user.name}`),
    deviceGroups: platform === 'linux' ? await existingGroups(['render', 'video']) : [],
  };
}

/** A machine of any platform with the usual folders, for showing its files. */
export function exampleMachine(platform: ServicePlatform): ServiceMachine {
  const user = { name: 'ada', id: 501 };
  const modules = 'node_modules/hearth/dist/cli/main.js';
  const examples = {
    linux: {
      nodePath: '/usr/bin/node',
      entryPoint: `/usr/lib/${modules}`,
      homeFolder: '/home/ada',
    },
    darwin: {
      nodePath: '/usr/local/bin/node',
      entryPoint: `/usr/local/lib/${modules}`,
      homeFolder: '/Users/ada',
    },
    win32: {
      nodePath: String.raw`C:\Program Files\nodejs\node.exe`,
      entryPoint: String.raw`C:\Program Files\nodejs\node_modules\hearth\dist\cli\main.js`,
      homeFolder: String.raw`C:\Users\ada`,
    },
  };
  const { homeFolder, ...paths } = examples[platform];
  const environment = { ProgramData: String.raw`C:\ProgramData` };
  const folders = foldersOf(platform, { environment, userName: user.name, homeFolder });
  const deviceGroups = ['render', 'video'];
  return { platform, user, ...paths, ...folders, isLingering: false, deviceGroups };
}

interface FolderFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userName: string;
  readonly homeFolder: string;
}

type Folders = Pick<ServiceMachine, 'homes' | 'serviceFolders' | 'recordFolder'>;

function foldersOf(platform: ServicePlatform, facts: FolderFacts): Folders {
  const { environment, userName, homeFolder } = facts;
  switch (platform) {
    case 'linux': {
      const configFolder = environment['XDG_CONFIG_HOME'] || `${homeFolder}/.config`;
      return {
        homes: { system: '/var/lib/hearth', user: `${homeFolder}/.hearth` },
        serviceFolders: { system: '/etc/systemd/system', user: `${configFolder}/systemd/user` },
        recordFolder: '/run/hearth',
      };
    }
    case 'darwin':
      return {
        // The daemon runs as the user who installed it, with this user's home folder.
        homes: { system: `/Users/${userName}/.hearth`, user: `${homeFolder}/.hearth` },
        serviceFolders: {
          system: '/Library/LaunchDaemons',
          user: `${homeFolder}/Library/LaunchAgents`,
        },
        recordFolder: '/Library/Application Support/Hearth',
      };
    case 'win32': {
      const programData = environment['ProgramData'] ?? String.raw`C:\ProgramData`;
      const recordFolder = `${programData}\\hearth`;
      const userHome = `${homeFolder}\\.hearth`;
      return {
        homes: { system: `${recordFolder}\\home`, user: userHome },
        serviceFolders: { system: recordFolder, user: `${userHome}\\service` },
        recordFolder,
      };
    }
  }
}

function installingUser(environment: Readonly<Record<string, string | undefined>>) {
  const { username, uid } = userEntry();
  const sudoUser = environment['SUDO_USER'] ?? '';
  if (uid !== 0 || sudoUser === '' || sudoUser === 'root') return { name: username, id: uid };
  return { name: sudoUser, id: Number(environment['SUDO_UID']) };
}

/** @throws CommandError if the user id has no entry, as in some containers. */
function userEntry(): { readonly username: string; readonly uid: number } {
  try {
    return userInfo();
  } catch {
    throw new CommandError(
      'A service needs a user with an entry in the list of users, such as /etc/passwd; this user has none.',
    );
  }
}

async function existingGroups(names: readonly string[]): Promise<string[]> {
  const text = await readFile('/etc/group', 'utf8').catch(() => '');
  const existing = new Set(text.split('\n').map((line) => line.split(':')[0]));
  return names.filter((name) => existing.has(name));
}

export interface ProgramResult {
  /** 127 if the program does not exist. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits. */
export async function runProgram(
  command: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProgramResult> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode: exitCode ?? 1, stdout, stderr };
  } catch (error) {
    return { exitCode: 127, stdout, stderr: String(error) };
  }
}

/** True if a systemd manager of this scope is running. */
export async function hasSystemd(
  scope: ServiceScope,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const manager = scope === 'system' ? [] : ['--user'];
  const { exitCode } = await runProgram(['systemctl', ...manager, 'show-environment'], environment);
  return exitCode === 0;
}

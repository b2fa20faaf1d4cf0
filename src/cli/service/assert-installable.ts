import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';
import type { CommandContext } from '../command.ts';
import { CommandError } from '../failure.ts';
import { formatCommand } from './show-steps.ts';
import type { ServiceFacts, ServiceScope } from './service-definition.ts';
import { hasSystemd } from './service-machine.ts';

/**
 * Checks the user: on Linux and macOS only root manages a system service.
 *
 * @param args Arguments of `hearth service`.
 * @throws CommandError with the command line for sudo.
 */
export function assertPermission(
  context: CommandContext,
  scope: ServiceScope,
  args: readonly string[],
): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  if (scope === 'user') {
    if (uid !== 0 || (context.environment['SUDO_USER'] ?? '') === '') return;
    throw new CommandError(
      'With sudo, --user is the service of root. Run the command without sudo.',
    );
  }
  if (uid === 0) return;
  const home = context.isDefaultHome === true ? [] : ['--home', context.home];
  const command = ['sudo', process.execPath, context.entryPoint, ...home, 'service', ...args];
  throw new CommandError(
    `The system service belongs to root. Run:\n  ${formatCommand(command)}\nA user service needs no root: add --user.`,
  );
}

/** @throws CommandError if Linux runs without systemd. */
export async function assertManager(
  context: CommandContext,
  { platform, scope }: ServiceFacts,
): Promise<void> {
  if (platform !== 'linux' || (await hasSystemd(scope, context.environment))) return;
  throw new CommandError(
    scope === 'user'
      ? 'The systemd manager of this user does not answer. Log in as this user instead of using su or sudo, or install the system service, without --user.'
      : 'systemd does not run on this machine. Run `hearth serve` under its service manager, or in a container. `hearth service install --dry-run` prints the unit.',
  );
}

/**
 * Checks the folders that the service needs.
 *
 * @throws CommandError with a remedy.
 */
export async function assertFolders(facts: ServiceFacts): Promise<void> {
  const { platform, scope, home, nodePath, entryPoint } = facts;
  await assertWritable(home);
  if (platform !== 'linux' || scope !== 'system') return;
  for (const file of [nodePath, entryPoint]) await assertReadableByOthers(file);
}

async function assertWritable(home: string): Promise<void> {
  try {
    await access(await existingFolder(home), constants.W_OK);
  } catch (error) {
    const reason = errorCode(error) === 'EROFS' ? 'is on a read-only disk' : 'is not writable';
    throw new CommandError(`The home folder ${home} ${reason}. Choose another one with --home.`, {
      cause: error,
    });
  }
}

/** The folder, or its nearest parent that exists. */
async function existingFolder(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : existingFolder(dirname(path));
}

const temporaryFolders = ['/tmp', '/var/tmp'];

/**
 * Checks that the service's account can read the program. The service has a private /tmp, so a program in /tmp is
 * hidden.
 *
 * @throws CommandError
 */
export async function assertReadableByOthers(
  file: string,
  hiddenFolders: readonly string[] = temporaryFolders,
): Promise<void> {
  const advice =
    'Install Node.js and Hearth for all users, for example with `sudo npm install --global`, or install a user service with --user.';
  if (hiddenFolders.some((folder) => file.startsWith(`${folder}/`))) {
    throw new CommandError(`${file} is in a temporary folder. ${advice}`);
  }
  for (let path = file; dirname(path) !== path; path = dirname(path)) {
    const { mode } = await stat(path);
    const needed = path === file ? constants.R_OK : constants.X_OK;
    if ((mode & needed) === 0) {
      throw new CommandError(
        `The user of the service may not read ${file} (see ${path}). ${advice}`,
      );
    }
  }
}

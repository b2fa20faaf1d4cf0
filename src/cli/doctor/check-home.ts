import { join } from 'node:path';
import { describeUnknownVariables, resolveSettings } from '../../settings/settings.ts';
import { SettingsError } from '../../settings/settings-error.ts';
import { type DoctorContext, type Finding, ok, problem, warning } from './check.ts';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { errorCode } from '../../kernel/error-code.ts';
import { formatPath } from '../ui/format-path.ts';

/** Checks that config.json and the variables are valid. */
export async function checkSettings({
  home,
  environment,
}: DoctorContext): Promise<readonly Finding[]> {
  const unknown = describeUnknownVariables(environment).map((each) =>
    warning(each, 'Correct or remove the variable.'),
  );
  const file = join(home, 'config.json');
  try {
    const { warnings } = await resolveSettings({ home, environment, flags: {} });
    const ignored = warnings.map((each) => warning(each, `Correct or remove it in ${file}.`));
    const findings = [...ignored, ...unknown];
    return findings.length === 0 ? [ok('All settings are valid.')] : findings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const errors = error.errors.length === 0 ? [error] : error.errors;
    return [
      ...errors.map(({ message, fileRemedy }) =>
        problem(message, fileRemedy ?? `Correct it; the settings are in ${file}.`),
      ),
      ...unknown,
    ];
  }
}

/** Files with secrets, which only their owner may read. */
const privateFiles = ['config.json', 'mcp.json', 'hearth.db', 'owner-token'];
const othersMayRead = 0o044;
const othersMayWrite = 0o022;

/** Checks that the home folder can be used, and by its owner only. */
export async function checkHome({ home }: DoctorContext): Promise<readonly Finding[]> {
  const shown = formatPath(home);
  const folder = await stat(home).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (folder === undefined) return [ok(`${shown} does not exist yet; the first start creates it.`)];
  if (!folder.isDirectory()) {
    return [
      problem(`${shown} is not a folder.`, 'Remove the file, or choose a folder with --home.'),
    ];
  }
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const owner = process.platform === 'win32' ? '' : ` It belongs to the user id ${folder.uid}.`;
    return [
      problem(
        `${shown} can't be read and written.${owner}`,
        `Run \`chown -R "$USER" ${shown}\`, or choose another folder with --home.`,
      ),
    ];
  }
  // On Windows, the mode does not show permissions.
  if (process.platform === 'win32') return [ok(`${shown} can be read and written.`)];
  const findings: Finding[] = [];
  if ((folder.mode & othersMayWrite) !== 0) {
    findings.push(warning(`Other users may write to ${shown}.`, `Run \`chmod go-w ${shown}\`.`));
  }
  for (const name of privateFiles) {
    const file = await stat(join(home, name)).catch(() => undefined);
    const isOpen = file !== undefined && (file.mode & (othersMayRead | othersMayWrite)) !== 0;
    // The file is safe if only the owner can enter the folder.
    if (isOpen && (folder.mode & 0o011) !== 0) {
      const path = formatPath(join(home, name));
      findings.push(warning(`Other users may read ${path}.`, `Run \`chmod 600 ${path}\`.`));
    }
  }
  return [ok(`${shown} can be read and written.`), ...findings];
}

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** True if a file exists and is executable. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns the first program with this name in the folders of `PATH`, or undefined. Skips relative folders, since the
 * result must not depend on the folder in which Hearth was started.
 */
export async function findExecutable(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const fileName = platform === 'win32' ? `${name}.exe` : name;
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter);
  for (const folder of folders.filter((entry) => isAbsolute(entry))) {
    const path = join(folder, fileName);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

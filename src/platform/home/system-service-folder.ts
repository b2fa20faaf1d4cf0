import { join } from 'node:path';

/**
 * Folder in which a system service writes the `server.json` of its server, for all users of the machine. The
 * installer of the service creates it; other users must not be able to write to it.
 *
 * @returns undefined on platforms without such a folder.
 */
export function systemServiceFolder(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  switch (platform) {
    case 'linux':
      return '/run/hearth';
    case 'darwin':
      // Not /var/run: it is emptied at boot, and the service may not create a folder in it.
      return '/Library/Application Support/Hearth';
    case 'win32': {
      const programData = environment['ProgramData'];
      return programData === undefined ? undefined : join(programData, 'hearth');
    }
    default:
      return undefined;
  }
}

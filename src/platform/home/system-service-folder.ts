import { join } from 'node:path';

/**
 * Folder in which a system service writes its server's `server.json`, for all users of the machine. The service's
 * installer creates it; other users must not be able to write to it.
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
      // Not /var/run, which is emptied at boot and in which the service may be unable to create a folder.
      return '/Library/Application Support/Hearth';
    case 'win32': {
      const programData = environment['ProgramData'];
      return programData === undefined ? undefined : join(programData, 'hearth');
    }
    default:
      return undefined;
  }
}

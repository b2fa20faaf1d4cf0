import { isIP } from 'node:net';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-table.ts';

/**
 * Rejects settings that are valid separately but not together: a host that other machines can reach while no tokens are
 * required, and a certificate without its key.
 *
 * @throws SettingsError
 */
export function assertStartable(
  settings: Settings,
  { isUnauthenticatedAllowed }: { readonly isUnauthenticatedAllowed: boolean },
): void {
  const host = settings['server.host'];
  if (!isLoopback(host) && !settings['auth.required'] && !isUnauthenticatedAllowed) {
    throw new SettingsError(
      `server.host ${host} can be reached from other machines, and auth.required is off. Turn it on ` +
        '(and make a token: hearth token create), or start with --allow-unauthenticated.',
    );
  }
  const { 'server.tls.cert': cert, 'server.tls.key': key } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    const [present, absent] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw new SettingsError(
      `server.tls.${present} is set, and server.tls.${absent} is not. HTTPS needs both: set or remove them together.`,
    );
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

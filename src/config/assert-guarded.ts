import { isIP } from 'node:net';
import { SettingsError } from './settings.ts';
import type { Settings } from './settings-table.ts';

/** A host that other machines can reach requires tokens, unless `allowUnauthenticated` is set. */
export function assertGuarded(settings: Settings, isAllowedUnauthenticated: boolean): void {
  const host = settings['server.host'];
  if (isLoopback(host) || settings['auth.required'] || isAllowedUnauthenticated) return;
  throw new SettingsError(
    `server.host ${host} can be reached from other machines, and auth.required is off. Turn it on ` +
      '(and make a token: hearth token create), or start with --allow-unauthenticated.',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

import { HearthError } from '../kernel/errors/errors.ts';
import type { Caller } from '../kernel/request/request-context.ts';
import type { Integration } from './toolbox.ts';

/** The settings of tool servers, whose values may change at any time. */
export interface ToolSettings {
  readonly 'mcp.allowPlugins': boolean;
  readonly 'mcp.allowEphemeral': boolean;
  /** `name` or `name:port`: hosts of ephemeral servers whose addresses may be private. */
  readonly 'mcp.allowedHosts': readonly string[];
}

/**
 * Checks that the caller may use the integration. Plugins always require a token, even if the server does not.
 *
 * @param field Domain path of the integration.
 * @throws HearthError `forbidden`, naming the missing setting or permission.
 */
export function assertMayUse(
  integration: Integration,
  caller: Caller,
  settings: ToolSettings,
  field: string,
): void {
  const refuse = (message: string): never => {
    throw new HearthError('forbidden', message, { field });
  };
  if (integration.type === 'fileSearch') return;
  if (integration.type === 'plugin') {
    if (!settings['mcp.allowPlugins']) {
      refuse('Plugins are disabled on this server. The setting mcp.allowPlugins enables them.');
    }
    if (caller.tokenId === null && caller.identity === undefined) {
      refuse(
        'Plugins need a token with the permission plugins, and the request has none that is valid. `hearth token create --name NAME --permissions chat,plugins` makes one.',
      );
    }
    if (!caller.hasPermission('plugins')) {
      refuse('The token lacks the permission plugins.');
    }
    return;
  }
  if (!settings['mcp.allowEphemeral']) {
    refuse(
      'Tool servers named in requests are disabled on this server. The setting mcp.allowEphemeral enables them.',
    );
  }
  if (!caller.hasPermission('ephemeral-mcp')) {
    refuse(
      'Tool servers named in requests need the permission ephemeral-mcp, which the caller lacks.',
    );
  }
}

import type { Settings } from '../settings/settings-table.ts';
import { createToolServers } from '../tools/tool-servers.ts';

type ToolOptions = Parameters<typeof createToolServers>[0];

/** Creates the tool servers. Reads live settings from `settings` at each use. */
export function createTools(
  settings: Settings,
  services: Pick<ToolOptions, 'home' | 'environment' | 'builtInPlugins' | 'fileSearch' | 'guard'>,
): ReturnType<typeof createToolServers> {
  return createToolServers({
    ...services,
    get allowsPlugins() {
      return settings['mcp.allowPlugins'];
    },
    get allowsEphemeral() {
      return settings['mcp.allowEphemeral'];
    },
    get allowedHosts() {
      return settings['mcp.allowedHosts'];
    },
  });
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '../../../src/observability/logger.ts';
import { createToolServers, type ToolServersOptions } from '../../../src/tools/tool-servers.ts';
import type { Integration, ToolCaller, ToolServers } from '../../../src/tools/toolbox.ts';
import { makeFolder, removeFolder } from '../temporary-folder.ts';

export const trusted: ToolCaller = { tokenId: 'one', hasPermission: () => true };
export const { signal } = new AbortController();

export interface TestToolServers extends ToolServers {
  readonly home: string;
  /** Writes mcp.json. */
  configure(servers: Readonly<Record<string, unknown>>): Promise<void>;
  openPlugin(label: string, allowedTools?: readonly string[]): ReturnType<ToolServers['open']>;
  openUrl(url: string, headers?: Record<string, string>): ReturnType<ToolServers['open']>;
}

/** Tool servers with everything allowed and short limits, in a home folder that goes with them. */
export async function openTools(
  options: Partial<ToolServersOptions> = {},
): Promise<TestToolServers> {
  const home = await makeFolder();
  const servers = createToolServers({
    home,
    environment: process.env,
    builtInPlugins: [],
    allowsPlugins: true,
    allowsEphemeral: true,
    allowedHosts: ['127.0.0.1'],
    connectTimeoutMs: 20_000,
    callTimeoutMs: 20_000,
    maxProcesses: 8,
    stopGraceMs: 200,
    logger: createLogger('silent'),
    ...options,
  });
  return {
    ...servers,
    home,
    configure: (mcpServers) => writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers })),
    openPlugin: (label, allowedTools) => {
      const plugin = { type: 'plugin', id: `mcp/${label}` } as const;
      const integration: Integration =
        allowedTools === undefined ? plugin : { ...plugin, allowedTools };
      return servers.open([integration], trusted, signal);
    },
    openUrl: (serverUrl, headers = {}) =>
      servers.open(
        [{ type: 'ephemeral_mcp', serverLabel: 'there', serverUrl, headers }],
        trusted,
        signal,
      ),
    close: async () => {
      await servers.close();
      await removeFolder(home);
    },
  };
}

/** An entry of mcp.json for the server that misbehaves. */
export function badServer(script: string, behaviour: string, file?: string): object {
  return {
    command: process.execPath,
    args: [script, behaviour, ...(file === undefined ? [] : [file])],
  };
}

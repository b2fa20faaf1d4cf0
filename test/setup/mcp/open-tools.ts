import { makeFolder, removeFolder } from '../temporary-folder.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolSettings } from '../../../src/tools/tool-permission.ts';
import { createToolServers, type ToolServersOptions } from '../../../src/tools/tool-servers.ts';
import { withSignal, type RequestContext } from '../../../src/kernel/request/request-context.ts';
import type { Integration, ToolServers } from '../../../src/tools/toolbox.ts';
import { testContext } from '../test-context.ts';

/** A request context of a caller who may use every tool. */
export const trusted: RequestContext = testContext({
  caller: { tokenId: 'one', hasPermission: () => true },
});

/** Settings that allow every tool server of these tests. */
export const allAllowed: ToolSettings = {
  'mcp.allowPlugins': true,
  'mcp.allowEphemeral': true,
  'mcp.allowedHosts': ['127.0.0.1'],
};

/** Like `trusted`, with a signal that can abort it. */
export function trustedUntil(signal: AbortSignal): RequestContext {
  return withSignal(trusted, signal);
}

export interface TestToolServers extends ToolServers {
  readonly home: string;
  /** Writes mcp.json. */
  configure(servers: Readonly<Record<string, unknown>>): Promise<void>;
  openPlugin(label: string, allowedTools?: readonly string[]): ReturnType<ToolServers['open']>;
  openUrl(url: string, headers?: Record<string, string>): ReturnType<ToolServers['open']>;
}

/** Tool servers with all permissions and short limits, in a temporary home folder. */
export async function openTools(
  options: Partial<ToolServersOptions> = {},
): Promise<TestToolServers> {
  const home = await makeFolder();
  const servers = createToolServers({
    home,
    environment: process.env,
    builtInPlugins: [],
    settings: allAllowed,
    connectTimeoutMs: 20_000,
    callTimeoutMs: 20_000,
    maxProcesses: 8,
    stopGraceMs: 200,
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
      return servers.open([integration], trusted);
    },
    openUrl: (serverUrl, headers = {}) =>
      servers.open([{ type: 'ephemeralMcp', serverLabel: 'there', serverUrl, headers }], trusted),
    close: async () => {
      await servers.close();
      await removeFolder(home);
    },
  };
}

/** An entry of mcp.json for a server that misbehaves. */
export function badServer(script: string, behavior: string, file?: string): object {
  return {
    command: process.execPath,
    args: [script, behavior, ...(file === undefined ? [] : [file])],
  };
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorCase } from '../setup/server/error-case.ts';

const chat = '/api/v1/chat';

/** Writes an mcp.json with plugins that can't be used. */
export async function placeBadPlugins(home: string): Promise<void> {
  const mcpServers = {
    missing: { command: '/no/such/program' },
    ends: { command: process.execPath, args: ['-e', 'process.exit(7)'] },
    closed: { url: 'http://127.0.0.1:9/mcp' },
    empty: {},
  };
  await writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
}

/**
 * Requests that must fail because of their tools. The server has the plugins of `placeBadPlugins`. Its
 * `mcp.allowedHosts` is 127.0.0.1:9, and nothing listens at that address. The token has all permissions.
 */
export function toolErrorCases(token: string): readonly ErrorCase[] {
  const headers = { authorization: `Bearer ${token}` };
  const body = (...integrations: readonly unknown[]) => ({
    model: 'hearth/starter-chat',
    input: 'Hello!',
    integrations,
  });
  const ephemeral = (url: string) => ({
    type: 'ephemeral_mcp',
    server_label: 'there',
    server_url: url,
  });
  const unreachable = (id: string, message: RegExp | string): ErrorCase => ({
    code: 'plugin_unreachable',
    path: chat,
    headers,
    body: body(id),
    param: 'integrations[0]',
    message,
  });
  return [
    unreachable('mcp/missing', /mcp\/missing can't be used: .*command.* \(ENOENT\)/),
    unreachable('mcp/ends', 'its process has gone (exit code 7)'),
    unreachable('mcp/closed', /mcp\/closed can't be used: 127\.0\.0\.1:9/),
    unreachable('mcp/empty', 'mcpServers.empty must have either command or url'),
    {
      code: 'mcp_unreachable',
      path: chat,
      body: body(ephemeral('http://127.0.0.1:9/mcp')),
      param: 'integrations[0]',
      message: /"there" can't be used: 127\.0\.0\.1:9/,
    },
    {
      code: 'forbidden',
      path: chat,
      body: body(ephemeral('http://127.0.0.1:10/mcp')),
      param: 'integrations[0].server_url',
      message: /127\.0\.0\.1.*mcp\.allowedHosts/,
    },
    {
      code: 'invalid_value',
      path: chat,
      body: body({ type: 'plugin', id: 'speech-script' }),
      param: 'integrations[0].id',
      message: 'is "speech-script". A plugin id has the form mcp/<server_label>',
    },
    {
      code: 'token_not_found',
      path: '/api/v1/tokens/0123456789',
      method: 'DELETE',
      headers,
      param: 'id',
      message: '0123456789',
    },
  ];
}

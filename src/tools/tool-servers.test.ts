import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  openTools,
  signal,
  trusted,
  type TestToolServers,
} from '../../test/setup/mcp/open-tools.ts';
import { speechScriptPlugin } from './speech-script-plugin.ts';
import type { Integration, ToolCaller } from './toolbox.ts';
import type { ToolServersOptions } from './tool-servers.ts';

let servers: TestToolServers | undefined;

afterEach(() => servers?.close());

async function open(
  integrations: readonly Integration[],
  options: Partial<ToolServersOptions> = {},
  caller: ToolCaller = trusted,
) {
  servers = await openTools({ builtInPlugins: [speechScriptPlugin], ...options });
  return servers.open(integrations, caller, signal);
}

const plugin = { type: 'plugin', id: 'mcp/speech-script' } as const;
const ephemeral = {
  type: 'ephemeral_mcp',
  serverLabel: 'a',
  serverUrl: 'https://a.example/',
} as const;
const only = (permission: string): ToolCaller => ({
  tokenId: 'one',
  hasPermission: (asked) => asked === permission,
});

describe('permission', () => {
  it.each<[string, Integration, Partial<ToolServersOptions>, ToolCaller, string]>([
    ['plugins are off', plugin, { allowsPlugins: false }, trusted, 'mcp.allowPlugins'],
    [
      'no token',
      plugin,
      {},
      { tokenId: null, hasPermission: () => true },
      'has none that is valid',
    ],
    ['no plugins', plugin, {}, only('ephemeral-mcp'), 'lacks the permission plugins'],
    ['ephemeral is off', ephemeral, { allowsEphemeral: false }, trusted, 'mcp.allowEphemeral'],
    ['no ephemeral-mcp', ephemeral, {}, only('plugins'), 'the permission ephemeral-mcp'],
  ])('%s', async (_, integration, options, caller, message) => {
    await expect(open([integration], options, caller)).rejects.toMatchObject({
      code: 'forbidden',
      param: 'integrations[0]',
      message: expect.stringContaining(message),
    });
  });

  it('comes before everything else, so that nobody learns which plugins there are', async () => {
    const unknown = { type: 'plugin', id: 'mcp/unknown' } as const;
    const opening = open([unknown, ephemeral], { allowsEphemeral: false });
    await expect(opening).rejects.toMatchObject({ code: 'forbidden', param: 'integrations[1]' });
  });
});

describe('what is asked for', () => {
  it.each<[string, readonly Integration[], string, string]>([
    [
      'an unknown plugin',
      [{ type: 'plugin', id: 'mcp/nothing' }],
      'integrations[0].id',
      'There is no plugin "mcp/nothing"; there are: mcp/speech-script.',
    ],
    [
      'an id of another form',
      [{ type: 'plugin', id: 'speech-script' }],
      'integrations[0].id',
      'There is no plugin "speech-script"',
    ],
    [
      'an unknown plugin, by its id alone',
      [{ type: 'plugin', id: 'mcp/nothing', isBare: true }],
      'integrations[0]',
      'There is no plugin "mcp/nothing"',
    ],
    ['a plugin twice', [plugin, plugin], 'integrations[1].id', 'is there twice'],
    ['a label twice', [ephemeral, ephemeral], 'integrations[1].server_label', 'is there twice'],
    [
      'an address of another kind',
      [{ ...ephemeral, serverUrl: 'file:///etc' }],
      'integrations[0].server_url',
      'http or https',
    ],
    [
      'a password in the address',
      [{ ...ephemeral, serverUrl: 'https://a:b@c/' }],
      'integrations[0].server_url',
      'in headers',
    ],
    [
      'a header with a second one in it',
      [{ ...ephemeral, headers: { a: 'b\r\nc: d' } }],
      'integrations[0].headers',
      'no header',
    ],
    [
      'an unknown tool',
      [{ ...plugin, allowedTools: ['format', 'sing'] }],
      'integrations[0].allowed_tools[1]',
      '"speech-script" has no tool "sing"; it has: format.',
    ],
    [
      'too much',
      Array.from({ length: 33 }, (_, index) => ({ ...ephemeral, serverLabel: `${index}` })),
      'integrations',
      'may have 32 integrations',
    ],
  ])('%s', async (_, integrations, param, message) => {
    await expect(open(integrations)).rejects.toMatchObject({
      code: 'invalid_value',
      param,
      message: expect.stringContaining(message),
    });
  });

  it('reads mcp.json again when it changed', async () => {
    servers = await openTools();
    await expect(servers.openPlugin('later')).rejects.toMatchObject({ code: 'invalid_value' });
    await servers.configure({ later: {} });
    await expect(servers.openPlugin('later')).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message: expect.stringContaining('mcpServers.later must have either command or url'),
    });
    await writeFile(join(servers.home, 'mcp.json'), '{');
    await expect(servers.openPlugin('later')).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message: "The plugin mcp/later can't be used: mcp.json is not valid JSON.",
    });
    await rm(join(servers.home, 'mcp.json'));
    await mkdir(join(servers.home, 'mcp.json'));
    await expect(servers.openPlugin('later')).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message: "The plugin mcp/later can't be used: mcp.json is no file.",
    });
  });

  it('opens nothing after it was closed', async () => {
    servers = await openTools({ builtInPlugins: [speechScriptPlugin] });
    await servers.close();
    await expect(servers.openPlugin('speech-script')).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });
});

describe('mcp/speech-script', () => {
  it('formats', async () => {
    const [tool] = (await open([plugin])).tools();
    expect(tool).toMatchObject({ name: 'format', exposedName: 'format' });
    expect(tool?.findArgumentIssue({ text: 1 })).toBe('arguments/text must be string');
    expect(tool?.findArgumentIssue({ text: 'Hello 😀' })).toBeUndefined();
    const result = await tool?.call({ text: 'Hello 😀' }, signal);
    expect(JSON.parse(String(result?.content[0]?.['text']))).toMatchObject({
      script: 'Speaker 1: Hello',
    });
    expect(await tool?.call({ text: '😀' }, signal)).toMatchObject({ isError: true });
  });
});

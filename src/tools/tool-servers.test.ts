import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  allAllowed,
  openTools,
  trusted,
  type TestToolServers,
} from '../../test/setup/mcp/open-tools.ts';
import { speechScriptPlugin } from './speech-script-plugin.ts';
import { testContext } from '../../test/setup/test-context.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { Integration } from './toolbox.ts';
import type { ToolServersOptions } from './tool-servers.ts';

let servers: TestToolServers | undefined;

afterEach(() => servers?.close());

async function open(
  integrations: readonly Integration[],
  options: Partial<ToolServersOptions> = {},
  context: RequestContext = trusted,
) {
  servers = await openTools({ builtInPlugins: [speechScriptPlugin], ...options });
  return servers.open(integrations, context);
}

const plugin = { type: 'plugin', id: 'mcp/speech-script' } as const;
const ephemeral = {
  type: 'ephemeralMcp',
  serverLabel: 'a',
  serverUrl: 'https://a.example/',
} as const;
const only = (permission: string): RequestContext =>
  testContext({ caller: { tokenId: 'one', hasPermission: (name) => name === permission } });

describe('permission', () => {
  it.each<[string, Integration, Partial<ToolServersOptions>, RequestContext, string]>([
    [
      'plugins are off',
      plugin,
      { settings: { ...allAllowed, 'mcp.allowPlugins': false } },
      trusted,
      'mcp.allowPlugins',
    ],
    [
      'no token',
      plugin,
      {},
      testContext({ caller: { hasPermission: () => true } }),
      'has none that is valid',
    ],
    ['no plugins', plugin, {}, only('ephemeral-mcp'), 'lacks the permission plugins'],
    [
      'ephemeral is off',
      ephemeral,
      { settings: { ...allAllowed, 'mcp.allowEphemeral': false } },
      trusted,
      'mcp.allowEphemeral',
    ],
    ['no ephemeral-mcp', ephemeral, {}, only('plugins'), 'the permission ephemeral-mcp'],
  ])('%s', async (_, integration, options, context, message) => {
    await expect(open([integration], options, context)).rejects.toMatchObject({
      code: 'forbidden',
      field: 'integrations[0]',
      message: expect.stringContaining(message),
    });
  });

  it('is checked first, so that errors do not reveal which plugins exist', async () => {
    const unknown = { type: 'plugin', id: 'mcp/unknown' } as const;
    const opening = open([unknown, ephemeral], {
      settings: { ...allAllowed, 'mcp.allowEphemeral': false },
    });
    await expect(opening).rejects.toMatchObject({ code: 'forbidden', field: 'integrations[1]' });
  });
});

describe('the integrations of a request', () => {
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
    ['a plugin twice', [plugin, plugin], 'integrations[1].id', 'is listed twice'],
    ['a label twice', [ephemeral, ephemeral], 'integrations[1].serverLabel', 'is listed twice'],
    [
      'an address of another kind',
      [{ ...ephemeral, serverUrl: 'file:///etc' }],
      'integrations[0].serverUrl',
      'http or https',
    ],
    [
      'a password in the address',
      [{ ...ephemeral, serverUrl: 'https://a:b@c/' }],
      'integrations[0].serverUrl',
      'in headers',
    ],
    [
      'a header with a second one in it',
      [{ ...ephemeral, headers: { a: 'b\r\nc: d' } }],
      'integrations[0].headers',
      'not a valid HTTP header',
    ],
    [
      'an unknown tool',
      [{ ...plugin, allowedTools: ['format', 'sing'] }],
      'integrations[0].allowedTools[1]',
      '"speech-script" has no tool "sing"; it has: format.',
    ],
    [
      'too much',
      Array.from({ length: 33 }, (_, index) => ({ ...ephemeral, serverLabel: `${index}` })),
      'integrations',
      'may have 32 integrations',
    ],
  ])('%s', async (_, integrations, field, message) => {
    await expect(open(integrations)).rejects.toMatchObject({
      code: 'invalid_value',
      field,
      message: expect.stringContaining(message),
    });
  });

  // covers server-8
  it('reads mcp.json again after a change', async () => {
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
      message: "The plugin mcp/later can't be used: mcp.json is not a file.",
    });
  });

  it('opens nothing after close', async () => {
    servers = await openTools({ builtInPlugins: [speechScriptPlugin] });
    await servers.close();
    await expect(servers.openPlugin('speech-script')).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });
});

describe('validate', () => {
  const marker = (home: string): string => join(home, 'started');
  const touch = (home: string): object => ({
    command: process.execPath,
    args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker(home))}, '')`],
  });

  it('accepts valid integrations, and starts no process', async () => {
    servers = await openTools();
    await servers.configure({ mark: touch(servers.home) });
    const integration = { type: 'plugin', id: 'mcp/mark' } as const;
    await servers.validate([integration, ephemeral], trusted);
    await expect(access(marker(servers.home))).rejects.toThrow('ENOENT');
    await expect(servers.open([integration], trusted)).rejects.toMatchObject({
      code: 'plugin_unreachable',
      field: 'integrations[0]',
    });
    await access(marker(servers.home));
  });

  it.each<[string, readonly Integration[], RequestContext, object]>([
    ['permissions', [plugin], only('chat'), { code: 'forbidden', field: 'integrations[0]' }],
    ['plugins', [{ ...plugin, id: 'mcp/no' }], trusted, { field: 'integrations[0].id' }],
    ['duplicates', [plugin, plugin], trusted, { field: 'integrations[1].id' }],
    [
      'addresses',
      [{ ...ephemeral, serverUrl: 'http://10.0.0.1/' }],
      trusted,
      { code: 'forbidden', field: 'integrations[0].serverUrl' },
    ],
    [
      'the tools of built-in plugins',
      [{ ...plugin, allowedTools: ['sing'] }],
      trusted,
      { code: 'invalid_value', field: 'integrations[0].allowedTools[0]' },
    ],
  ])('checks %s', async (_, integrations, context, error) => {
    servers = await openTools({ builtInPlugins: [speechScriptPlugin] });
    await expect(servers.validate(integrations, context)).rejects.toMatchObject(error);
  });
});

describe('the limit of plugin processes', () => {
  /** An MCP server without tools. */
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method !== 'initialize') return;
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'a', version: '1' } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    if (process.argv[1] === 'exit') process.stdout.write('', () => process.exit());
  });`;
  const run = (...args: readonly string[]): object => ({
    command: process.execPath,
    args: ['-e', script, ...args],
  });

  it('counts running processes, not connections to exited ones', async () => {
    servers = await openTools({ maxProcesses: 1 });
    await servers.configure({ stays: run(), exits: run('exit'), missing: { command: '/no/such' } });
    await expect(servers.openPlugin('missing')).rejects.toMatchObject({
      code: 'plugin_unreachable',
    });
    await servers.openPlugin('exits');
    // The first toolbox is still open.
    const stays = await vi.waitFor(() => servers?.openPlugin('stays'), 10_000);
    await expect(servers.openPlugin('stays')).rejects.toMatchObject({ code: 'queue_full' });
    await stays?.close();
    await servers.openPlugin('stays');
  });
});

describe('mcp/speech-script', () => {
  it('formats', async () => {
    const [tool] = (await open([plugin])).tools();
    expect(tool).toMatchObject({ name: 'format', exposedName: 'format' });
    expect(tool?.findArgumentIssue({ text: 1 })).toBe(
      "The arguments of format don't fit its schema: arguments/text must be string",
    );
    expect(tool?.findArgumentIssue({ text: 'Hello 😀' })).toBeUndefined();
    const result = await tool?.call({ text: 'Hello 😀' }, trusted);
    expect(JSON.parse(String(result?.content[0]?.['text']))).toMatchObject({
      script: 'Speaker 1: Hello',
    });
    expect(await tool?.call({ text: '😀' }, trusted)).toMatchObject({ isError: true });
  });
});

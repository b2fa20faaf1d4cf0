import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import type { ToolServersOptions } from '../../src/tools/tool-servers.ts';
import type { Toolbox, ToolResult } from '../../src/tools/toolbox.ts';
import { isRunning } from '../setup/processes/is-running.ts';
import {
  badServer,
  openTools,
  trusted,
  trustedUntil,
  type TestToolServers,
} from '../setup/mcp/open-tools.ts';
import { bundleScript } from '../setup/engine/test-engines.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

const scripts = useTemporaryFolder();
let script: string;
let servers: TestToolServers;

beforeAll(async () => {
  script = await bundleScript('test/setup/mcp/stdio-server.ts', scripts.path);
});
afterEach(() => servers.close());

/** Opens the server with this misbehavior. */
async function open(
  behavior: string,
  options: Partial<ToolServersOptions> = {},
  file?: string,
): Promise<Toolbox> {
  servers = await openTools(options);
  await servers.configure({ bad: badServer(script, behavior, file) });
  return servers.openPlugin('bad');
}

function call(
  toolbox: Toolbox,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult> {
  const tool = toolbox.tools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.call(args, trusted);
}

function textOf({ content }: ToolResult): string {
  return content.map((block) => String(block['text'])).join('\n');
}

describe('real servers', () => {
  it('calls the tools of several at once', async () => {
    servers = await openTools();
    const folder = join(servers.home, 'files');
    await mkdir(folder);
    await writeFile(join(folder, 'note.txt'), 'remember the milk');
    await servers.configure({
      everything: { command: process.execPath, args: [officialServer('server-everything')] },
      files: { command: process.execPath, args: [officialServer('server-filesystem'), folder] },
    });
    const toolbox = await servers.open(
      [
        { type: 'plugin', id: 'mcp/everything' },
        { type: 'plugin', id: 'mcp/files', allowedTools: ['read_text_file', 'list_directory'] },
      ],
      trusted,
    );
    const tools = toolbox.tools();
    expect(
      tools.filter(({ provider }) => JSON.stringify(provider).includes('files')),
    ).toMatchObject([
      {
        name: 'read_text_file',
        exposedName: 'read_text_file',
        provider: { pluginId: 'mcp/files' },
      },
      { name: 'list_directory' },
    ]);
    expect(tools.find(({ name }) => name === 'echo')?.findArgumentIssue({})).toContain('message');
    const [echo, sum, note, outside] = await Promise.all([
      call(toolbox, 'echo', { message: 'hello' }),
      call(toolbox, 'get-sum', { a: 2, b: 40 }),
      call(toolbox, 'read_text_file', { path: join(folder, 'note.txt') }),
      call(toolbox, 'read_text_file', { path: '/etc/passwd' }),
    ]);
    expect(textOf(echo)).toBe('Echo: hello');
    expect(textOf(sum)).toContain('42');
    expect(note).toEqual({
      isError: false,
      content: [{ type: 'text', text: 'remember the milk' }],
    });
    expect(outside.isError).toBe(true);
    const image = await call(toolbox, 'get-tiny-image');
    expect(image.content).toContainEqual(
      expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
    );
    await toolbox.close();
  });
});

describe('failures when opening', () => {
  it.each([
    ['hang-at-connect', 'it did not connect in 0.5 s'],
    ['hang-at-list', 'it did not list its tools in 0.5 s'],
  ])('%s', async (behavior, reason) => {
    const opening = open(behavior, { connectTimeoutMs: 500 });
    await expect(opening).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message: expect.stringContaining(reason),
      field: 'integrations[0]',
    });
  });

  it('ends a server that never stops writing', async () => {
    const bounds = { maxMessageBytes: 100_000, maxUnaskedBytes: 10_000 };
    await expect(open('endless-garbage', { bounds })).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message: expect.stringContaining('it sent more than 10000 bytes without being asked'),
    });
  });

  it('reports the stderr tail of a process that exits at once, without folders', async () => {
    await expect(open('exit-at-once')).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message:
        "The plugin mcp/bad can't be used: its process has gone (exit code 7): Error: Cannot find module 'tool.js'.",
    });
  });

  it('reports a missing command', async () => {
    servers = await openTools();
    await servers.configure({ bad: { command: '/no/such/program' } });
    await expect(servers.openPlugin('bad')).rejects.toMatchObject({
      code: 'plugin_unreachable',
      message: expect.stringMatching(/folder to run it in, is not there \(ENOENT\)/u),
    });
  });

  it('accepts at most 500 tools', async () => {
    await expect(open('too-many')).rejects.toThrow('it has more than 500 tools');
    await servers.close();
    const tools = (await open('many')).tools();
    expect(new Set(tools.map(({ exposedName }) => exposedName)).size).toBe(500);
  });

  it('stops when the caller aborts, and leaves no process behind', async () => {
    servers = await openTools();
    const file = join(servers.home, 'pids');
    await servers.configure({
      bad: badServer(script, 'hang-at-connect'),
      stubborn: badServer(script, 'stubborn', file),
    });
    const controller = new AbortController();
    const opening = servers.open(
      [
        { type: 'plugin', id: 'mcp/bad' },
        { type: 'plugin', id: 'mcp/stubborn' },
      ],
      trustedUntil(controller.signal),
    );
    const pids = await readPids(file);
    const reason = new Error('gone');
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
  });

  it('stops when the server stops, and leaves no process behind', async () => {
    servers = await openTools();
    const file = join(servers.home, 'pids');
    await servers.configure({
      bad: badServer(script, 'hang-at-connect'),
      stubborn: badServer(script, 'stubborn', file),
    });
    const opening = servers.open(
      [
        { type: 'plugin', id: 'mcp/bad' },
        { type: 'plugin', id: 'mcp/stubborn' },
      ],
      trusted,
    );
    const pids = await readPids(file);
    const outcome = opening.catch((error: unknown) => error);
    await servers.close();
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
    expect(await outcome).toMatchObject({ code: 'shutting_down' });
  });

  it('rejects more processes than allowed, until one exits', async () => {
    const first = await open('echo', { maxProcesses: 1 });
    await expect(servers.openPlugin('bad')).rejects.toMatchObject({ code: 'queue_full' });
    await first.close();
    await expect(servers.openPlugin('bad')).resolves.toBeDefined();
  });
});

describe('failures when calling', () => {
  it.each([
    ['hang-at-call', 'gave no result in 0.5 s'],
    ['invalid-json', 'gave no result in 0.5 s'],
    ['renamed', 'Unknown tool: echo'],
    ['no-result', 'is not what MCP asks for'],
    ['die-at-call', 'its process has gone (exit code 3): out of cheese at shop.js'],
    ['huge-answer', 'it sent a message of more than 100000 bytes'],
    ['many-values', 'it sent a message of more than 10000 JSON values'],
    ['stream-for-ever', 'it sent more than 1000000 bytes without being asked'],
  ])('%s', async (behavior, reason) => {
    const toolbox = await open(behavior, {
      callTimeoutMs: behavior.includes('-for-ever') ? 20_000 : 500,
      bounds: { maxMessageBytes: 100_000, maxUnaskedBytes: 1_000_000, maxMessageValues: 10_000 },
    });
    const result = await call(toolbox, 'echo');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(reason);
  });

  // covers v1-integration-12
  it('has the time limit of mcp.json', async () => {
    servers = await openTools();
    await servers.configure({ bad: { ...badServer(script, 'hang-at-call'), timeoutSeconds: 1 } });
    const result = await call(await servers.openPlugin('bad'), 'echo');
    expect(textOf(result)).toContain('gave no result in 1 s');
  });

  it('cancels a call on the server too', async () => {
    servers = await openTools();
    const file = join(servers.home, 'cancelled');
    await servers.configure({ bad: badServer(script, 'hang-at-call', file) });
    const toolbox = await servers.openPlugin('bad');
    const controller = new AbortController();
    const calling = toolbox.tools()[0]?.call({}, trustedUntil(controller.signal));
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
    await vi.waitFor(async () => {
      const { cancelled, callId } = JSON.parse(await readFile(file, 'utf8'));
      expect(cancelled.requestId).toBe(callId);
    });
  });

  it('starts a plugin that died again for the next request', async () => {
    const first = await open('die-at-call');
    await call(first, 'echo');
    expect(textOf(await call(first, 'echo'))).toContain('its process has gone');
    const second = await servers.openPlugin('bad');
    expect(second.tools()).toHaveLength(1);
  });
});

describe('tolerated misbehaviour', () => {
  it('skips garbage on the output', async () => {
    const toolbox = await open('garbage');
    expect(textOf(await call(toolbox, 'echo', { a: 1 }))).toBe('{"a":1}');
  });

  it('derives valid and unique names from any names', async () => {
    const tools = (await open('odd-names')).tools();
    expect(tools.map(({ name, exposedName }) => [name.slice(0, 12), exposedName])).toEqual([
      ['get weather', 'get_weather'],
      ['🚀', 'bad__'],
      ['天気', 'bad___2'],
      ['xxxxxxxxxxxx', 'x'.repeat(64)],
      ['mcp__a.b/c', 'mcp__a_b_c'],
    ]);
  });

  it('skips tools with an invalid schema, and explains it when they are requested', async () => {
    const toolbox = await open('bad-schemas');
    expect(toolbox.tools().map(({ name }) => name)).toEqual(['echo']);
    await expect(servers.openPlugin('bad', ['wrong'])).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'integrations[0].allowedTools[0]',
      message: expect.stringContaining('its schema is not a JSON schema'),
    });
  });

  it('truncates a long text with a note', async () => {
    const { content } = await call(await open('long-text'), 'echo');
    expect(content).toHaveLength(2);
    expect(String(content[0]?.['text'])).toHaveLength(1024 * 1024);
    expect(content[1]?.['text']).toMatch(/^\[\d+ characters of text were cut/u);
  });

  it('detects that the list changed, and keeps the names', async () => {
    const toolbox = await open('changing');
    const [echo] = toolbox.tools();
    await call(toolbox, 'echo');
    expect(toolbox.tools().map(({ exposedName }) => exposedName)).toEqual(['echo', 'new_one']);
    expect(toolbox.tools()[0]?.exposedName).toBe(echo?.exposedName);
  });

  it('stops when the caller aborts while a changed list is read', async () => {
    servers = await openTools();
    const file = join(servers.home, 'asked again');
    await servers.configure({ bad: badServer(script, 'hang-at-relist', file) });
    const controller = new AbortController();
    const calling = (await servers.openPlugin('bad'))
      .tools()[0]
      ?.call({}, trustedUntil(controller.signal));
    await vi.waitFor(() => readFile(file));
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
  });

  it('declines requests of the server', async () => {
    const result = await call(await open('asks-back'), 'echo');
    expect(JSON.parse(textOf(result))).toMatchObject({ code: -32_601 });
  });

  it('is not blocked by a slow regular expression of a server', async () => {
    const toolbox = await open('slow-pattern');
    expect(toolbox.tools()[0]?.findArgumentIssue({ a: `${'a'.repeat(60)}b` })).toContain(
      'could not be checked',
    );
  });

  it('kills processes that ignore SIGTERM, with their children', async () => {
    servers = await openTools();
    const file = join(servers.home, 'pids');
    await servers.configure({ bad: badServer(script, 'stubborn', file) });
    const toolbox = await servers.openPlugin('bad');
    const pids = await readPids(file);
    await toolbox.close();
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
  });

  it('passes no secrets to a process', async () => {
    servers = await openTools({
      environment: { PATH: process.env['PATH'], HEARTH_HUB_TOKEN: 'secret', AWS_KEY: 'secret' },
    });
    const entry = badServer(script, 'environment');
    await servers.configure({ bad: { ...entry, env: { MINE: 'yes' } } });
    const environment = JSON.parse(textOf(await call(await servers.openPlugin('bad'), 'echo')));
    expect(environment).toMatchObject({ MINE: 'yes' });
    expect(JSON.stringify(environment)).not.toContain('secret');
  });
});

async function readPids(file: string): Promise<readonly number[]> {
  return vi.waitFor(async () => JSON.parse(await readFile(file, 'utf8')) as number[], 10_000);
}

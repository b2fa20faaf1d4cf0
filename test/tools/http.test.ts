import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ToolServersOptions } from '../../src/tools/tool-servers.ts';
import type { Toolbox, ToolResult } from '../../src/tools/toolbox.ts';
import { deferred } from '../setup/deferred.ts';
import { sendJson, startLoopbackServer } from '../setup/net/loopback-server.ts';
import { answerMcp } from '../setup/mcp/answer-mcp.ts';
import { startEventServer } from '../setup/mcp/event-server.ts';
import {
  allAllowed,
  openTools,
  trusted,
  trustedUntil,
  type TestToolServers,
} from '../setup/mcp/open-tools.ts';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function kept<Resource extends { close(): Promise<unknown> }>(resource: Resource): Resource {
  cleanups.push(() => resource.close());
  return resource;
}

async function open(options: Partial<ToolServersOptions> = {}): Promise<TestToolServers> {
  return kept(await openTools(options));
}

type Answer = Parameters<typeof startLoopbackServer>[0];

async function serve(answer: Answer) {
  return kept(await startLoopbackServer(answer));
}

function call(
  toolbox: Toolbox,
  args: Record<string, unknown> = {},
  name?: string,
): Promise<ToolResult> {
  const tool = toolbox.tools().find((each) => name === undefined || each.name === name);
  if (tool === undefined) throw new Error('no tool');
  return tool.call(args, trusted);
}

function textOf({ content }: ToolResult): string {
  return content.map((block) => String(block['text'])).join('\n');
}

/** Writes as fast as the client reads. */
function flood(response: ServerResponse, text: string): void {
  while (response.write(text));
  response.once('drain', () => flood(response, text));
}

describe('Streamable HTTP', () => {
  it('calls a tool of a real server, with the headers on every request, and ends the session', async () => {
    const server = kept(await startStreamableServer());
    const toolbox = await (await open()).openUrl(server.url, { 'x-key': 'secret' });
    expect(toolbox.tools()).toMatchObject([
      { name: 'add', provider: { type: 'ephemeralMcp', serverLabel: 'there' } },
      { name: 'wait' },
    ]);
    expect(await call(toolbox, { a: 2, b: 40 })).toEqual({
      isError: false,
      content: [{ type: 'text', text: '42' }],
    });
    await toolbox.close();
    expect(new Set(server.requests.map(({ headers }) => headers['x-key']))).toEqual(
      new Set(['secret']),
    );
    expect(server.requests.at(-1)?.method).toBe('DELETE');
  });

  it('does the same for a url in mcp.json, independent of the allowed hosts', async () => {
    const server = kept(await startStreamableServer());
    const servers = await open({ settings: { ...allAllowed, 'mcp.allowedHosts': [] } });
    await servers.configure({ adder: { url: server.url, headers: { 'x-key': 'configured' } } });
    const toolbox = await servers.openPlugin('adder');
    expect(toolbox.tools()[0]?.provider).toEqual({ type: 'plugin', pluginId: 'mcp/adder' });
    expect(textOf(await call(toolbox, { a: 1, b: 1 }))).toBe('2');
    expect(server.requests[0]?.headers['x-key']).toBe('configured');
  });

  it('cancels a call on the server too, even if everything is closed right after', async () => {
    const cancelled = deferred<void>();
    const server = kept(await startStreamableServer(() => cancelled.resolve()));
    const toolbox = await (await open()).openUrl(server.url);
    const controller = new AbortController();
    const waiting = toolbox
      .tools()
      .find(({ name }) => name === 'wait')
      ?.call({}, trustedUntil(controller.signal));
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(4));
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await toolbox.close();
    await cancelled.promise;
  });
});

describe('the transport before it', () => {
  it('is used if the server rejects the new one', async () => {
    const server = kept(await startEventServer());
    const toolbox = await (await open()).openUrl(server.url, { 'x-key': 'secret' });
    expect(textOf(await call(toolbox, { a: 1 }))).toBe('{"a":1}');
    expect(new Set(server.requests.map(({ headers }) => headers['x-key']))).toEqual(
      new Set(['secret']),
    );
  });

  it.each([401, 403])('reports that its server refuses the caller with %i', async (status) => {
    const server = await serve(({ method }, response) => {
      response.writeHead(method === 'GET' ? status : 405).end();
    });
    await expect((await open()).openUrl(server.url)).rejects.toMatchObject({
      code: 'mcp_unreachable',
      message: expect.stringContaining(`it answered with HTTP status ${status}`),
    });
  });

  it('reports the refusal of the new transport if its server has neither', async () => {
    const server = await serve(({ method }, response) => {
      response.writeHead(method === 'GET' ? 404 : 405).end();
    });
    await expect((await open()).openUrl(server.url)).rejects.toMatchObject({
      message: expect.stringContaining('it answered with HTTP status 405'),
    });
  });

  it('ends with the feed, and is not restarted', async () => {
    const server = kept(await startEventServer());
    const toolbox = await (await open()).openUrl(server.url);
    server.hangUp();
    await vi.waitFor(
      async () => expect(textOf(await call(toolbox))).toContain('ended the connection'),
      10_000,
    );
    expect(server.feedCount()).toBe(1);
  });

  it('is not tried if the server requires a key', async () => {
    const server = await serve((_, response) => void response.writeHead(401).end());
    await expect((await open()).openUrl(server.url)).rejects.toMatchObject({
      code: 'mcp_unreachable',
      message: 'The tool server "there" can\'t be used: it answered with HTTP status 401.',
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('servers that misbehave', () => {
  it.each<[string, Record<string, (response: ServerResponse, id: number) => void>, string]>([
    ['hangs at connect', { initialize: () => {} }, 'it did not connect in 0.3 s'],
    ['hangs at list', { 'tools/list': () => {} }, 'it did not list its tools in 0.3 s'],
    [
      'breaks off',
      { initialize: (response) => void response.destroy() },
      "can't be reached (UND_ERR_SOCKET)",
    ],
    [
      'answers with HTML',
      { initialize: (response) => void response.end('<html>') },
      'does not keep to the protocol',
    ],
    [
      'answers with invalid JSON',
      {
        initialize: (response) =>
          void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc'),
      },
      'does not keep to the protocol',
    ],
    [
      'answers without end',
      {
        initialize: (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          flood(response, ' '.repeat(10_000));
        },
      },
      'answered more than 100000 bytes',
    ],
  ])('%s', async (_, own, reason) => {
    const server = await serve((request, response) =>
      answerMcp(
        request,
        response,
        Object.fromEntries(
          Object.entries(own).map(([method, answer]) => [method, (id) => answer(response, id)]),
        ),
      ),
    );
    const servers = await open({
      connectTimeoutMs: reason.includes('0.3 s') ? 300 : 20_000,
      bounds: { maxMessageBytes: 100_000, maxUnaskedBytes: 1_000_000 },
    });
    await expect(servers.openUrl(server.url)).rejects.toMatchObject({
      code: 'mcp_unreachable',
      message: expect.stringContaining(reason),
    });
  });

  it.each([
    ['never answers a call', () => {}, 'gave no result in 0.3 s'],
    [
      'streams without end',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        flood(response, `data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`.repeat(100));
      },
      'answered more than 100000 bytes',
    ],
    [
      'answers a call with very much',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        flood(response, 'x'.repeat(10_000));
      },
      'answered more than 100000 bytes',
    ],
    [
      'answers a call with very many values',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`[${'[],'.repeat(20_000)}[]]`);
      },
      'sent a message of more than 10000 JSON values',
    ],
    [
      'streams very many values',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: [${'[],'.repeat(20_000)}[]]\n\n`);
      },
      'sent a message of more than 10000 JSON values',
    ],
  ])('%s', async (_, answer, reason) => {
    const server = await serve((request, response) =>
      answerMcp(request, response, { 'tools/call': () => answer(response) }),
    );
    const servers = await open({
      callTimeoutMs: reason.includes('0.3 s') ? 300 : 20_000,
      bounds: { maxMessageBytes: 100_000, maxUnaskedBytes: 1_000_000, maxMessageValues: 10_000 },
    });
    const result = await call(await servers.openUrl(server.url));
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(reason);
  });
});

describe('connects only to allowed addresses:', () => {
  it.each([
    'http://127.0.0.1:1/mcp',
    'http://localhost:1/mcp',
    'http://[::1]:1/mcp',
    'http://[::ffff:127.0.0.1]:1/mcp',
    'http://2130706433:1/mcp',
    'http://0x7f.1:1/mcp',
    'http://0.0.0.0:1/mcp',
    'http://169.254.169.254/latest',
    'http://192.168.1.1/',
    'http://[fe80::1]/',
  ])('not %s', async (url) => {
    const servers = await open({ settings: { ...allAllowed, 'mcp.allowedHosts': [] } });
    await expect(servers.openUrl(url)).rejects.toMatchObject({
      code: 'forbidden',
      field: 'integrations[0].serverUrl',
      message: expect.stringContaining('mcp.allowedHosts'),
    });
  });

  // covers v1-integration-9, server-26
  it('not a name that is public at first and loopback when it is connected', async () => {
    const server = await serve((request, response) => answerMcp(request, response, {}));
    let lookups = 0;
    const servers = await open({
      settings: { ...allAllowed, 'mcp.allowedHosts': [] },
      resolve: (_name, _options, callback) => {
        lookups += 1;
        callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '93.184.215.14', family: 4 }]);
      },
    });
    const { port } = new URL(server.url);
    await expect(servers.openUrl(`http://rebinding.example:${port}/`)).rejects.toMatchObject({
      code: 'forbidden',
    });
    // The name is resolved once, for the connection itself, so no earlier result can differ.
    expect(lookups).toBe(1);
    expect(server.requests).toHaveLength(0);
  });

  it('not a name with one private address among public ones', async () => {
    const servers = await open({
      settings: { ...allAllowed, 'mcp.allowedHosts': [] },
      resolve: (_name, _options, callback) =>
        callback(null, [
          { address: '93.184.215.14', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ]),
    });
    await expect(servers.openUrl('http://mixed.example/')).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('a host that is allowed with its port, and not with another', async () => {
    const server = await serve((request, response) => answerMcp(request, response, {}));
    const { host } = new URL(server.url);
    const servers = await open({ settings: { ...allAllowed, 'mcp.allowedHosts': [host] } });
    await expect(servers.openUrl(server.url)).resolves.toBeDefined();
    await expect(servers.openUrl('http://127.0.0.1:1/')).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it.each(['http://169.254.169.254/latest/meta-data', 'http://127.0.0.2:1/'])(
    'not by a redirect to %s',
    async (location) => {
      const server = await serve((request, response) => {
        if (request.method === 'GET') response.writeHead(302, { location }).end();
        // Refused, so that the client tries the older transport, whose GET may be redirected.
        else response.writeHead(404).end();
      });
      await expect((await open()).openUrl(server.url)).rejects.toMatchObject({
        code: 'mcp_unreachable',
        message: expect.stringMatching(/redirects .* is not at a public address/u),
      });
      const posting = await serve(
        (_, response) => void response.writeHead(307, { location }).end(),
      );
      await expect((await open()).openUrl(posting.url)).rejects.toMatchObject({
        code: 'mcp_unreachable',
        message: expect.stringContaining('redirects to'),
      });
    },
  );

  it('follows a redirect within the origin, with headers and body', async () => {
    const server = await serve((request, response) => {
      if (request.path === '/') response.writeHead(308, { location: '/mcp' }).end();
      else answerMcp(request, response, {});
    });
    const toolbox = await (await open()).openUrl(server.url, { 'x-key': 'secret' });
    expect(textOf(await call(toolbox))).toBe('fine');
    expect(server.requests.every(({ headers }) => headers['x-key'] === 'secret')).toBe(true);
  });

  // covers v1-integration-9
  it('takes no headers to another origin', async () => {
    const other = await serve((_, response) => sendJson(response, {}, 404));
    const server = await serve((request, response) => {
      if (request.method === 'GET') response.writeHead(302, { location: other.url }).end();
      else response.writeHead(404).end();
    });
    await expect(
      (await open()).openUrl(server.url, { 'x-key': 'secret', authorization: 'Bearer secret' }),
    ).rejects.toMatchObject({ code: 'mcp_unreachable' });
    expect(other.requests).toHaveLength(1);
    expect(JSON.stringify(other.requests)).not.toContain('secret');
  });
});

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface TestMcpServer {
  readonly url: string;
  /** All requests, in order. */
  readonly requests: readonly {
    readonly method: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  close(): Promise<void>;
}

/** An image in MCP's format. */
export interface TestImage {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/**
 * A real server over Streamable HTTP with the tools `add`, which adds two numbers; `wait`, which ends when it is
 * cancelled; and, if there are images, `look`, which returns them.
 */
export async function startStreamableServer(
  onCancelled: () => void = () => {},
  images?: () => readonly TestImage[],
): Promise<TestMcpServer> {
  const requests: { method: string; headers: IncomingMessage['headers'] }[] = [];
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

  async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
    const connected = async (server: McpServer): Promise<NodeStreamableHTTPServerTransport> => {
      await server.connect(transport);
      return transport;
    };
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const server = new McpServer({ name: 'adder', version: '1.0.0' });
    server.registerTool(
      'add',
      { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }) },
      async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
    );
    if (images !== undefined) {
      server.registerTool('look', { description: 'Looks at the sea' }, async () => ({
        content: [...images()],
      }));
      return connected(server);
    }
    server.registerTool('wait', { description: 'Waits' }, async (context) => {
      await once(context.mcpReq.signal, 'abort');
      onCancelled();
      return { content: [] };
    });
    return connected(server);
  }

  const http = createServer((request, response) => {
    const { method = '', headers } = request;
    requests.push({ method, headers });
    const id = headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    const handle = async (): Promise<void> =>
      (known ?? (await openSession())).handleRequest(request, response);
    handle().catch(() => response.destroy());
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    requests,
    close: async () => {
      for (const transport of sessions.values()) await transport.close();
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

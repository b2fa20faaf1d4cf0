import {
  type CallToolResult,
  isSpecType,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type McpMessage, sendMcpMessage } from '../../api/mcp/mcp-schema.ts';
import { version } from '../../kernel/version.ts';
import type { Client } from '../client/client.ts';
import { ApiError, ServerUnreachableError } from '../client/client-error.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { connectionOptions } from '../option.ts';

export const mcpServe = defineCommand({
  options: connectionOptions,
  examples: ['hearth mcp serve', 'hearth mcp serve --host http://192.168.1.5:1234'],
  async run({ context, options }) {
    const { stdin, terminal, signal } = context;
    if (stdin.isTTY === true) {
      throw new CommandError(
        'An MCP client starts this command and talks to its standard input. Add `hearth mcp serve` to the configuration of your client.',
      );
    }
    const client = await connect(context, options);
    // Fails early: without a server or a valid token, the client would only show an empty list.
    const { tools } = await listTools(client, signal);
    terminal.messages.line(`Offering ${tools.length} tools of ${client.baseUrl}`);
    const transport = new StdioServerTransport(stdin, terminal.output.raw as Writable);
    const connection = serveStdio(() => createBridge(client), { transport });
    try {
      await finished(stdin, { writable: false, signal });
    } finally {
      await connection.close();
    }
  },
});

/** An MCP server that offers the tools of a running Hearth. */
function createBridge(client: Client): Server {
  const server = new Server(
    { name: 'hearth', title: 'Hearth', version },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler('tools/list', (_, { mcpReq }) => listTools(client, mcpReq.signal));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
    try {
      const sent = { name: params.name, arguments: params.arguments ?? {}, ...meta };
      const result = await send(client, 'tools/call', sent, mcpReq);
      if (isSpecType.CallToolResult(result)) return result as CallToolResult;
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ServerUnreachableError)) throw error;
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
    throw unexpected();
  });
  return server;
}

async function listTools(client: Client, signal: AbortSignal): Promise<ListToolsResult> {
  const result = await send(client, 'tools/list', {}, { signal });
  if (isSpecType.ListToolsResult(result)) return result;
  throw unexpected();
}

/** Sends a request to `/mcp`, and forwards the notifications that come before its result. */
async function send(
  client: Client,
  method: string,
  params: NonNullable<McpMessage['params']>,
  {
    signal,
    notify,
  }: Pick<ServerContext['mcpReq'], 'signal'> & Partial<Pick<ServerContext['mcpReq'], 'notify'>>,
): Promise<McpMessage['result']> {
  const body = { jsonrpc: '2.0', id: 1, method, params } as const;
  for await (const message of client.stream(sendMcpMessage, { body }, signal)) {
    if (message.method !== undefined) {
      await notify?.({ method: message.method, ...(message.params && { params: message.params }) });
    } else if (message.error !== undefined) {
      throw new ProtocolError(message.error.code, message.error.message);
    } else {
      return message.result;
    }
  }
  throw unexpected();
}

function unexpected(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    'The answer of Hearth is not one of this protocol.',
  );
}

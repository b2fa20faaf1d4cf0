import type { ServerResponse } from 'node:http';
import { sendJson } from '../net/loopback-server.ts';

interface Request {
  readonly method: string;
  readonly body: string;
}

/** Responds like a small MCP server over Streamable HTTP, except for methods that the test handles itself. */
export function answerMcp(
  { method, body }: Request,
  response: ServerResponse,
  own: Readonly<Record<string, (id: number) => void>>,
): void {
  if (method !== 'POST') return void response.writeHead(405).end();
  const { id, method: rpcMethod } = JSON.parse(body);
  const answer = own[rpcMethod as string];
  if (answer !== undefined) return answer(id);
  const result = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'small', version: '1' },
    },
    'tools/list': { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'fine' }] },
  }[rpcMethod as string];
  if (result === undefined) return void response.writeHead(202).end();
  sendJson(response, { jsonrpc: '2.0', id, result });
}

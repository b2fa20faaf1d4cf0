import type { ServerResponse } from 'node:http';
import { startLoopbackServer } from '../net/loopback-server.ts';

/** A server with the older transport, before Streamable HTTP: an event stream, and a URL for messages. */
export async function startEventServer() {
  let feed: ServerResponse | undefined;
  let feeds = 0;
  const server = await startLoopbackServer(({ method, path, body }, response) => {
    if (method === 'GET') {
      feeds += 1;
      feed = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session=1\n\n');
      return;
    }
    if (!path.startsWith('/messages')) return void response.writeHead(405).end();
    response.writeHead(202).end();
    const { id, method: rpcMethod, params } = JSON.parse(body);
    const result = {
      initialize: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      },
      'tools/list': { tools: [{ name: 'old tool', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] },
    }[rpcMethod as string];
    if (result !== undefined && params?.name !== 'hang up') {
      feed?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    }
  });
  return {
    ...server,
    url: `${server.url}/sse`,
    /** Ends the event stream, like a server that shuts down. */
    hangUp: () => feed?.end(),
    feedCount: () => feeds,
  };
}

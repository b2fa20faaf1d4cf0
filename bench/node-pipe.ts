import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A plain HTTP proxy on loopback, as a separate process. Shows the cost of forwarding alone in Node.js. */
const [origin] = process.argv.slice(2);
if (origin === undefined) throw new Error('usage: node-pipe ORIGIN');

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming;
  const upstream = request(new URL(incoming.url ?? '/', origin), { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

// Does not close idle connections, since the client keeps them for longer than Node's default.
const server = createServer({ keepAliveTimeout: 0 }, forward).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});

import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../setup/net/ports.ts';
import { startNginxWithDns } from '../setup/net/nginx.ts';

const hasNginx = await promisify(execFile)('nginx', ['-v']).then(
  () => true,
  () => false,
);

/** A DNS server whose only records are the addresses of one name (RFC 1035, section 4.1). */
async function startDns(addresses: () => readonly string[]): Promise<number> {
  const socket = createSocket('udp4', (query, { port, address }) => {
    const found = addresses();
    const header = Buffer.from(query.subarray(0, 12));
    // Header of a response without an error, with one question and these answers.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(found.length, 6);
    header.writeUInt32BE(0, 8);
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const answers = found.map((each) =>
      // An answer: the name of the question, type A, class IN, 1 second, 4 bytes.
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...each.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([header, question, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket.address().port;
}

/** Starts a server that answers each request with the server's address. */
async function startServer(address: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.end(address);
  });
  server.listen(port, address);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

describe.runIf(hasNginx)('nginx before servers that come and go', () => {
  it('finds new servers, forgets old ones, and passes by those that are gone', async () => {
    const [first, second] = ['127.0.0.2', '127.0.0.3'] as const;
    const port = await freePort();
    let addresses: readonly string[] = [first];
    const dns = await startDns(() => addresses);
    const one = await startServer(first, port);
    await startServer(second, port);
    const proxy = await startNginxWithDns({ dns, servers: port });
    onTestFinished(() => proxy.close());
    const answer = async () => {
      const response = await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST' });
      return response.text();
    };
    expect(await answer()).toBe(first);

    addresses = [first, second];
    const answers = async () => new Set([await answer(), await answer(), await answer()]);
    await expect.poll(answers, { timeout: 20_000 }).toEqual(new Set([first, second]));

    // The address of a server that was killed stays for a moment.
    one.close();
    one.closeAllConnections();
    for (let count = 0; count < 8; count += 1) expect(await answer()).toBe(second);

    addresses = [second];
    await expect.poll(answers, { timeout: 20_000 }).toEqual(new Set([second]));
  });
});

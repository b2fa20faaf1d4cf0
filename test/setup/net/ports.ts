import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port of this machine that nothing used a moment ago, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs work while another program listens on a port of loopback, and answers nothing. */
export async function withTakenPort(work: (port: number) => Promise<void>): Promise<void> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    await work((taken.address() as AddressInfo).port);
  } finally {
    taken.close();
  }
}

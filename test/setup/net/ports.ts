import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Below the range from which systems choose ports of outgoing connections, which other tests open all the time. */
const ports = { first: 20_000, count: 12_000 };

/** A port of this machine that was free a moment ago, for programs that can't choose one themselves. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.first + Math.floor(Math.random() * ports.count);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (!isFree) continue;
    await once(server, 'close');
    return port;
  }
}

/** Runs work while another program, which never answers, listens on a loopback port. */
export async function withTakenPort(work: (port: number) => Promise<void>): Promise<void> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    await work((taken.address() as AddressInfo).port);
  } finally {
    taken.close();
  }
}

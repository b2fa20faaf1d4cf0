import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A slow connection to a server, which can also be broken off. */
export interface SlowNetwork {
  /** URL of the server over this network. */
  readonly url: string;
  /** Ends all connections, and refuses new ones. */
  breakOff(): void;
  resume(): void;
  close(): void;
}

export async function startSlowNetwork(
  serverUrl: string,
  { delayMs }: { readonly delayMs: number },
): Promise<SlowNetwork> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isBroken = false;
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (data) => setTimeout(() => to.destroyed || to.write(data), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
  };
  const proxy = createServer((client) => {
    if (isBroken) return client.destroy();
    const server = connect(Number(port), hostname);
    forward(client, server);
    forward(server, client);
  });
  await once(proxy.listen(0, hostname), 'listening');
  const breakOff = () => {
    isBroken = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://${hostname}:${(proxy.address() as AddressInfo).port}`,
    breakOff,
    resume: () => {
      isBroken = false;
    },
    close: () => {
      breakOff();
      proxy.close();
    },
  };
}

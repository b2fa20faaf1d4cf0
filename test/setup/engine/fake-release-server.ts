import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Behavior for one request. The last one of a list is repeated. */
export type Behavior =
  | 'good'
  | 'not found'
  | 'broken'
  | 'truncated'
  | 'reset'
  | 'stalled'
  | 'redirected';

export interface FakeReleaseServer {
  readonly url: string;
  /** Requested paths, in order. */
  readonly requests: readonly string[];
  behave(...behaviors: readonly Behavior[]): void;
  close(): Promise<void>;
}

/** A release server on loopback that serves files by name, and can be told to fail. */
export async function startFakeReleaseServer(
  files: Readonly<Record<string, Buffer>>,
): Promise<FakeReleaseServer> {
  const requests: string[] = [];
  let behaviors: readonly Behavior[] = ['good'];
  let answered = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    requests.push(path);
    const behavior = behaviors[Math.min(answered, behaviors.length - 1)] ?? 'good';
    answered += 1;
    const content = files[path.split('/').at(-1) ?? ''];
    if (content === undefined || behavior === 'not found') {
      response.writeHead(404).end('no such file');
      return;
    }
    answer(behavior, content, path, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/releases`,
    requests,
    behave: (...next) => {
      behaviors = next;
      answered = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function answer(behavior: Behavior, content: Buffer, path: string, response: ServerResponse): void {
  const half = content.subarray(0, content.length / 2);
  if (behavior === 'broken') {
    response.writeHead(500).end('try again');
  } else if (behavior === 'redirected') {
    response.writeHead(302, { location: `/elsewhere${path}` }).end();
  } else if (behavior === 'truncated') {
    // Without a length, the client treats the end of the connection as the end of the file.
    response.writeHead(200, { connection: 'close' });
    response.end(half);
  } else {
    response.writeHead(200, { 'content-length': content.length });
    if (behavior === 'good') response.end(content);
    else response.write(half, () => behavior === 'reset' && response.destroy());
  }
}

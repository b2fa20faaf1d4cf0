import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface FakeBucket {
  readonly url: string;
  /** Environment for a server that uses the bucket. */
  readonly environment: Readonly<Record<string, string>>;
  /** Contents by key. */
  readonly objects: Map<string, Buffer>;
  /** Method and key of each request. */
  readonly requests: { readonly method: string; readonly key: string }[];
  /** Handlers for the next requests, which replace the real ones. */
  readonly faults: ((response: ServerResponse) => void)[];
}

/** A bucket on loopback with the API of S3, which can be made to fail. */
export async function startFakeBucket(): Promise<FakeBucket> {
  const objects = new Map<string, Buffer>();
  const requests: FakeBucket['requests'][number][] = [];
  const faults: FakeBucket['faults'] = [];
  const prefix = '/images/hearth/';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method = '', url = '', headers } = request;
    const key = url.slice(prefix.length);
    requests.push({ method, key });
    const fault = faults.shift();
    if (fault !== undefined) return fault(response);
    const isSigned =
      headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=key/') === true &&
      headers['x-amz-content-sha256'] !== undefined;
    if (!isSigned || !url.startsWith(prefix)) {
      response.writeHead(403).end('<Error><Message>Access Denied</Message></Error>');
    } else if (method === 'PUT') {
      objects.set(key, body);
      response.writeHead(200).end();
    } else if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else {
      const found = objects.get(key);
      response.writeHead(found === undefined ? 404 : 200).end(found);
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/images/hearth`,
    environment: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    objects,
    requests,
    faults,
  };
}

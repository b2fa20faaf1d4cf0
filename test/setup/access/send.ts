import { Agent, request, type IncomingMessage } from 'node:http';

/** A response. Its body may be an endless stream, so only the beginning is read. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The body; empty for a stream. */
  readonly text: string;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** ASCII. */
  readonly body?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends a request with any headers, even those that `fetch` sets itself, such as `Host`. */
export function send(url: string, { method, path, headers = {}, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    // Node sends no length for methods that usually have no body.
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const options = { method, agent, headers: { ...length, ...headers } };
    const outgoing = request(new URL(path, url), options, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      if (/event-stream|ndjson/.test(received['content-type'] ?? '')) {
        resolve({ status, headers: received, text: '' });
        response.destroy();
        return;
      }
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece;
        })
        .on('error', reject)
        .on('end', () => resolve({ status, headers: received, text }));
    });
    outgoing.on('error', reject).end(body);
  });
}

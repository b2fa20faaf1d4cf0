import { once } from 'node:events';
import { connect } from 'node:net';
import type { ApiAnswer } from './api.ts';

const waitMs = 10_000;

/**
 * Sends raw bytes on a new connection, for requests that HTTP clients can't make.
 *
 * @returns All data until the server closes the connection.
 */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(waitMs, () => socket.destroy(new Error('The server keeps the connection.')));
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

/** Parses the first response of `exchange`; its body must be JSON. */
export function parseResponse(text: string): ApiAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
}

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { toAnswer, type ApiAnswer } from './api.ts';

/** Requests a WebSocket, which `fetch` can't do. @returns The refusal. */
export async function askForWebSocket(url: string): Promise<ApiAnswer> {
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  const { statusCode = 0 } = response;
  const type = response.headers['content-type'] ?? '';
  return toAnswer(
    new Response(await text(response), { status: statusCode, headers: { 'content-type': type } }),
  );
}

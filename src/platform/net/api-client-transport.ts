import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../kernel/error-code.ts';

/** The server can't be reached, or closed the connection before its response was complete. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** The system's error code, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = errorCode(cause);
  }
}

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is streamed. */
export interface ApiUpload {
  readonly content: Readable;
  readonly sizeBytes: number;
}

interface ApiRequest {
  readonly method: ApiMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | ApiUpload;
  readonly signal: AbortSignal;
  /** SHA-256 of the only certificate to accept; if absent, any that the system trusts. */
  readonly certificate?: string | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  /** @throws TransportError; the signal's reason when aborted. Breaking out of the loop closes the connection. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** @returns undefined if the answer is longer. */
export async function readText(answer: ApiAnswer, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.chunks) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return undefined;
  }
  return Buffer.concat(chunks).toString();
}

/** Connects directly: Node's global agent follows the proxy settings of Node 24 (`NODE_USE_ENV_PROXY`). */
const agent = new HttpAgent({ keepAlive: true });

/**
 * Sends a request to the user's Hearth server. Uses Node's own client, which loads ten times as fast as undici; undici
 * would take most of the time of a short command. Does not follow redirects, since their targets would receive the
 * token. Only the signal limits the time, since loading a large model may take minutes.
 *
 * @throws TransportError; the signal's reason when aborted.
 */
export async function sendApiRequest(options: ApiRequest): Promise<ApiAnswer> {
  const { signal } = options;
  const failed = (error: unknown): never => {
    signal.throwIfAborted();
    throw new TransportError(error);
  };
  signal.throwIfAborted();
  const answer = await send(options).catch(failed);

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* answer as AsyncIterable<Uint8Array>;
    } catch (error) {
      failed(error);
    }
  }
  return { status: answer.statusCode ?? 0, chunks: chunks() };
}

async function send(options: ApiRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, signal } = options;
  const { request, agent: own } =
    url.protocol === 'https:'
      ? await openSecureClient(options.certificate)
      : { request: httpRequest, agent };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: own,
      signal,
      headers: {
        ...headers,
        ...(typeof body === 'object' ? { 'content-length': body.sizeBytes } : {}),
      },
    });
    outgoing.on('response', resolve).on('error', reject);
    if (typeof body === 'object') pipeline(body.content, outgoing).catch(reject);
    else outgoing.end(body);
  });
}

/** Loads TLS only if the server uses it. */
async function openSecureClient(certificate: string | undefined) {
  const { request, agentFor } = await import('./certificate-agent.ts');
  return { request, agent: agentFor(certificate) };
}

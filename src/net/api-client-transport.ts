import { Agent, request } from 'undici';
import { errorCode } from '../error-code.ts';

/** The server can't be reached, or closed the connection before its response was complete. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Error code of the system or of undici, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = errorCode(cause);
  }
}

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface ApiRequest {
  readonly method: ApiMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  /** @throws TransportError; the signal's reason when aborted. Breaking out of the loop closes the connection. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Connects directly: undici's default agent follows the proxy settings of Node 24 (`NODE_USE_ENV_PROXY`). */
const agent = new Agent();

/**
 * Sends a request to the user's Hearth server. Does not follow redirects, since they would receive the token.
 * Only the signal limits the time: loading a large model may take minutes.
 *
 * @throws TransportError; the signal's reason when aborted.
 */
export async function sendApiRequest(options: ApiRequest): Promise<ApiAnswer> {
  const { method, url, headers, body, signal } = options;
  const failed = (error: unknown): never => {
    signal.throwIfAborted();
    throw new TransportError(error);
  };
  const answer = await request(url, {
    dispatcher: agent,
    method,
    headers,
    body: body ?? null,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  }).catch(failed);

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* answer.body as AsyncIterable<Uint8Array>;
    } catch (error) {
      failed(error);
    }
  }
  return { status: answer.statusCode, chunks: chunks() };
}

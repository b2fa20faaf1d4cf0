import { parseJson } from '../../kernel/parse-json.ts';
import { isReset } from './is-reset.ts';
import { NodeClient } from './node-client.ts';
import { ResponseReader } from './response-reader.ts';
import { wellFormedJson } from './well-formed-json.ts';

/** The address of an engine: a unix socket, or an HTTP origin such as `http://127.0.0.1:4000`. */
export type EngineAddress = { readonly socketPath: string } | { readonly origin: string };

/** The engine can't be reached, or closed the connection before its response was complete. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}

export interface EngineReply {
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export interface EngineStream {
  readonly status: number;
  /**
   * Waits for bytes and returns all that have arrived since the last call; undefined at the end.
   *
   * @throws ConnectionLostError; the signal's reason when aborted.
   */
  read(): Promise<readonly Buffer[] | undefined>;
  /** Delivers at most one batch in each interval. */
  setMinimumInterval(intervalMs: number): void;
  /** Closes the socket, which makes the engine stop. Does nothing after the end of the stream. */
  close(): void;
}

/** An HTTP client for one engine: sends JSON, receives JSON or a stream of bytes. */
export interface EngineConnection {
  getJson(path: string, signal: AbortSignal): Promise<EngineReply>;
  postJson(path: string, body: object, signal: AbortSignal): Promise<EngineReply>;
  openStream(path: string, body: object, signal: AbortSignal): Promise<EngineStream>;
  /** Closes every socket. Requests in flight fail with ConnectionLostError. */
  close(): Promise<void>;
}

interface EngineConnectionOptions {
  readonly address: EngineAddress;
  /** Bearer token of the requests. */
  readonly apiKey?: string;
  /** Maximum number of open sockets; further requests wait. */
  readonly maxConnections: number;
  /** True if the server, like llama-server, closes the connection after a stream without announcing it. */
  readonly closesAfterStream?: boolean;
}

interface EngineRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Asks the engine to close the connection after its response. */
  readonly closes?: boolean;
}

const connectTimeoutMs = 5_000;
const maxReplyBytes = 256 * 1024 * 1024;

/**
 * Opens a pool of keep-alive connections. Only the signal limits the time of a response, since an engine may process a
 * long prompt for minutes.
 */
export function connectEngine(options: EngineConnectionOptions): EngineConnection {
  const { address, apiKey, maxConnections, closesAfterStream = false } = options;
  const client = new NodeClient({ connectTimeoutMs, maxConnections });
  const target = toTarget(address);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== undefined) headers['authorization'] = `Bearer ${apiKey}`;
  const closingHeaders = { ...headers, connection: 'close' };

  /** Retries once if no response has begun, since the engine may close an idle socket just as it is reused. */
  async function open(
    request: EngineRequest,
    signal: AbortSignal,
    mayRetry = true,
  ): Promise<EngineStream> {
    signal.throwIfAborted();
    const { method, path, body, closes = false } = request;
    const reader = new ResponseReader({
      signal,
      toError: (error) =>
        signal.aborted
          ? signal.reason
          : new ConnectionLostError('The engine cannot be reached.', { cause: error }),
    });
    client.send(
      { ...target, method, path, headers: closes ? closingHeaders : headers, body },
      reader,
    );
    try {
      await reader.started();
      return reader;
    } catch (error) {
      const isLost = error instanceof ConnectionLostError && isReset(error.cause);
      if (!isLost || !mayRetry) throw error;
      return open(request, signal, false);
    }
  }

  return {
    getJson: async (path, signal) => readReply(await open({ method: 'GET', path }, signal)),
    postJson: async (path, body, signal) =>
      readReply(await open({ method: 'POST', path, body: wellFormedJson(body) }, signal)),
    openStream: (path, body, signal) =>
      open({ method: 'POST', path, body: wellFormedJson(body), closes: closesAfterStream }, signal),
    close: async () => client.close(),
  };
}

function toTarget(address: EngineAddress) {
  if ('socketPath' in address) return { socketPath: address.socketPath };
  const { hostname, port } = new URL(address.origin);
  // `hostname` has brackets around an IPv6 address.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) };
}

/** Reads a response to its end and parses it. */
export async function readReply(stream: EngineStream): Promise<EngineReply> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for (let batch = await stream.read(); batch !== undefined; batch = await stream.read()) {
    for (const chunk of batch) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
    }
    if (sizeBytes > maxReplyBytes) {
      stream.close();
      throw new ConnectionLostError(`The engine answered more than ${maxReplyBytes} bytes.`);
    }
  }
  return { status: stream.status, body: parseJson(Buffer.concat(chunks).toString()) };
}

import { HttpFailure, toHttpFailure } from '../../../platform/net/http-failure.ts';
import { createHttpSender, type HttpExchange } from '../../../platform/net/http-sender.ts';
import type { ResponseReader } from '../../../platform/net/response-reader.ts';
import { retryAfterMs } from '../../../platform/net/retry-delay.ts';
import { wellFormedJson } from '../../../platform/net/well-formed-json.ts';
import type { WireStream } from '../wire/stream-decoder.ts';
import { UpstreamRefusal } from './upstream-failure.ts';

interface CallOptions {
  readonly signal: AbortSignal;
  /** Trace context to pass on. */
  readonly traceparent?: string | undefined;
}

interface StreamOptions extends CallOptions {
  /** Sent in addition to the client's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called for each piece of the answer. */
  readonly onRead: () => void;
}

/** HTTP client for one upstream. All methods throw `HttpFailure`, `UpstreamRefusal` or the signal's reason. */
export interface UpstreamClient {
  /** Requests only the status; no status throws `UpstreamRefusal`. */
  getStatus(url: string, options: CallOptions): Promise<number>;
  getJson(url: string, options: CallOptions): Promise<unknown>;
  postJson(url: string, body: object, options: CallOptions): Promise<unknown>;
  /** Sends a form. The caller must read all pieces, or end the iteration early. */
  postForm(
    url: string,
    form: FormData,
    options: CallOptions,
  ): Promise<{ readonly contentType: string; readonly pieces: AsyncGenerator<Buffer> }>;
  /** The caller must read the stream to its end or close it. */
  openStream(url: string, body: object, options: StreamOptions): Promise<WireStream>;
  close(): Promise<void>;
}

interface UpstreamClientOptions {
  readonly apiKey: string | undefined;
  /** Time limit for connecting, for the headers, and between two pieces of an answer. */
  readonly timeoutMs: number;
  /** Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Fingerprint of the only key that the servers may have. */
  readonly pinnedKey?: string | undefined;
}

const connectTimeoutMs = 5000;
const maxReplyBytes = 256 * 1024 * 1024;
const maxRefusalBytes = 64 * 1024;

interface EncodedBody {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { apiKey, timeoutMs, environment, pinnedKey } = options;
  // Private addresses are allowed, since the server's owner chose the addresses.
  const sender = createHttpSender({
    environment,
    idleTimeoutMs: timeoutMs,
    connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
    egress: { type: 'any' },
    pinnedKey,
  });

  async function send(
    url: string,
    body: EncodedBody | undefined,
    { signal, traceparent, headers = {} }: CallOptions & Partial<StreamOptions>,
  ): Promise<ResponseReader> {
    const { response }: HttpExchange = await sender.send({
      url: new URL(url),
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': body.type }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...headers,
      },
      forwardedHeaders: {},
      body: body?.bytes,
      signal,
    });
    if (response.status < 400) return response;
    const text = await readText(response, maxRefusalBytes, signal).catch(() => '');
    signal.throwIfAborted();
    const waitMs = retryAfterMs(response.headers['retry-after']);
    throw new UpstreamRefusal(response.status, text, waitMs);
  }

  async function readJson(response: ResponseReader, signal: AbortSignal): Promise<unknown> {
    const text = await readText(response, maxReplyBytes, signal);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new HttpFailure('interrupted', 'the answer is not JSON', { cause: error });
    }
  }

  return {
    getStatus: async (url, call) => {
      try {
        const response = await send(url, undefined, call);
        await readText(response, maxReplyBytes, call.signal);
        return response.status;
      } catch (error) {
        if (error instanceof UpstreamRefusal) return error.status;
        throw error;
      }
    },
    getJson: async (url, call) => readJson(await send(url, undefined, call), call.signal),
    postJson: async (url, body, call) =>
      readJson(await send(url, jsonBody(body), call), call.signal),
    postForm: async (url, form, call) => {
      const encoded = new Response(form);
      const type = encoded.headers.get('content-type') ?? '';
      const bytes = new Uint8Array(await encoded.arrayBuffer());
      const headers = { accept: '*/*' };
      const response = await send(url, { type, bytes }, { ...call, headers });
      const contentType = response.headers['content-type'] ?? 'application/octet-stream';
      return { contentType, pieces: piecesOf(response, call.signal) };
    },
    openStream: async (url, body, call) => {
      const response = await send(url, jsonBody(body), call);
      return {
        read: async () => {
          const pieces = await readPieces(response, call.signal);
          call.onRead();
          return pieces;
        },
        setMinimumInterval: (intervalMs) => response.setMinimumInterval(intervalMs),
        close: () => response.close(),
      };
    },
    close: () => sender.close(),
  };
}

function jsonBody(body: object): EncodedBody {
  return { type: 'application/json', bytes: wellFormedJson(body) };
}

async function* piecesOf(response: ResponseReader, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const pieces = await readPieces(response, signal);
      if (pieces === undefined) return;
      yield* pieces;
    }
  } finally {
    response.close();
  }
}

function readPieces(
  response: ResponseReader,
  signal: AbortSignal,
): Promise<readonly Buffer[] | undefined> {
  return response.read((error) =>
    toHttpFailure(error, 'interrupted', 'its answer broke off', { signal }),
  );
}

async function readText(
  response: ResponseReader,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for (;;) {
    const batch = await readPieces(response, signal);
    if (batch === undefined) break;
    for (const chunk of batch) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
    }
    if (sizeBytes > maxBytes) {
      response.abort(new Error('too large'));
      throw new HttpFailure('too_large', `the answer is larger than ${maxBytes} bytes`);
    }
  }
  return Buffer.concat(chunks).toString();
}

import type * as z from 'zod';
import type { Route } from '../../api/kit/route.ts';
import {
  type ApiAnswer,
  type ApiMethod,
  type ApiUpload,
  readText,
  sendApiRequest,
  TransportError,
} from '../../platform/net/api-client-transport.ts';
import { ApiError, isConnectFailure, ServerUnreachableError, toApiError } from './client-error.ts';
import { findOtherScheme } from './probe-server.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { createParser } from 'eventsource-parser';

type SchemaInput<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** The parts of a request, as the route declares them. */
type Input<Declared extends Route> = Readonly<
  (Declared extends { params: infer Params } ? { params: SchemaInput<Params> } : object) &
    (Declared extends { query: infer Query } ? { query?: SchemaInput<Query> } : object) &
    (Declared extends { body: infer Body } ? { body: SchemaInput<Body> } : object) &
    (Declared extends { upload: object } ? { upload: ApiUpload } : object)
>;
type Result<Declared extends Route> = z.output<Declared['result']>;
type StreamEvent<Declared extends Route> = z.output<NonNullable<Declared['events']>>;

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly upload?: ApiUpload;
}

export interface Client {
  readonly baseUrl: string;
  /**
   * Calls an endpoint and validates the response.
   *
   * @throws ApiError, ServerUnreachableError; the signal's reason when aborted.
   */
  call<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): Promise<Result<Declared>>;
  /**
   * Calls an endpoint with `stream: true` in the body. Leaving the loop aborts the request.
   *
   * @throws The errors of `call`.
   */
  stream<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Declared>>;
}

const maxResponseBytes = 256 * 1024 * 1024;

/** Creates a client for the endpoints of the contract; requests and results are typed by the route declarations. */
export function createClient(options: {
  /** Such as `http://127.0.0.1:1234`; may have a path, but no slash at the end. */
  readonly baseUrl: string;
  readonly token?: string | undefined;
  /** SHA-256 of the expected certificate. */
  readonly certificate?: string | undefined;
}): Client {
  const { baseUrl, token, certificate } = options;

  async function send(declared: Route, parts: Parts, signal: AbortSignal) {
    const url = new URL(baseUrl + fillPath(declared.path, parts.params ?? {}));
    for (const [name, value] of Object.entries(parts.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const response = await sendApiRequest({
      method: declared.method.toUpperCase() as ApiMethod,
      url,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(declared.upload === undefined ? {} : { 'content-type': declared.upload.contentType }),
      },
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      ...(parts.upload === undefined ? {} : { body: parts.upload }),
      signal,
      certificate,
    });
    if (response.status === 200) return response;
    throw toApiError(response.status, await readBody(response));
  }

  const toClientError = async (error: unknown, signal: AbortSignal): Promise<unknown> =>
    error instanceof TransportError ? toUnreachableError(error, baseUrl, signal) : error;

  async function call<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): Promise<Result<Declared>> {
    try {
      const response = await send(declared, input, signal);
      return check<Declared['result']>(declared.result, parseJson(await readBody(response)));
    } catch (error) {
      throw await toClientError(error, signal);
    }
  }

  async function* stream<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Declared>> {
    if (declared.events === undefined) throw new TypeError('This endpoint does not stream.');
    try {
      const response = await send(declared, input, signal);
      for await (const data of readServerSentEvents(response.chunks)) {
        yield check<NonNullable<Declared['events']>>(declared.events, parseJson(data));
      }
    } catch (error) {
      throw await toClientError(error, signal);
    }
  }

  return { baseUrl, call, stream };
}

/** Fills in and encodes path parameters; slashes in them stay: `/models/{model...}` → `/models/a/b`. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) =>
    String(params[name]).split('/').map(encodeURIComponent).join('/'),
  );
}

async function readBody(response: ApiAnswer): Promise<string> {
  const text = await readText(response, maxResponseBytes);
  if (text !== undefined) return text;
  throw unexpectedResponse(`exceeds ${maxResponseBytes} bytes`);
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  // Without `jitless`, zod would compile the schema, which takes longer than checking one response.
  const parsed = schema.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  throw unexpectedResponse('does not match the API of this version of hearth');
}

function unexpectedResponse(what: string): ApiError {
  return new ApiError({
    type: 'unexpected_response',
    message: `The response of the server ${what}.`,
  });
}

async function toUnreachableError(
  error: TransportError,
  baseUrl: string,
  signal: AbortSignal,
): Promise<ServerUnreachableError> {
  const otherScheme = await findOtherScheme(error, baseUrl, signal);
  if (otherScheme !== undefined) {
    const [spoken, used] = otherScheme === 'https' ? ['HTTPS', 'HTTP'] : ['HTTP', 'HTTPS'];
    const url = baseUrl.replace(/^https?/, otherScheme);
    return new ServerUnreachableError(
      `The server at ${new URL(baseUrl).host} speaks ${spoken}, not ${used}. Use ${url}.`,
      { cause: error },
    );
  }
  const message = isConnectFailure(error)
    ? `No server is running at ${baseUrl}. Start one with \`hearth serve\`, or in the background with \`hearth server start\`.`
    : `The connection to ${baseUrl} was lost: ${error.message}`;
  return new ServerUnreachableError(message, { cause: error });
}

/** Maximum characters of an event; the last event of a chat contains the whole answer. */
const maxEventLength = 256 * 1024 * 1024;

/** Yields the `data` field of each server-sent event (WHATWG HTML); skips comments. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  let ready: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => ready.push(data),
    onError: (error) => {
      if (error.type !== 'max-buffer-size-exceeded') return;
      throw new ApiError({
        type: 'unexpected_response',
        message: 'The server sent an event that is too long.',
      });
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const events = ready;
    ready = [];
    yield* events;
  }
}

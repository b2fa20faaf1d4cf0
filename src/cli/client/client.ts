import type * as z from 'zod';
import type { Route } from '../../contract/route.ts';
import { sendApiRequest, TransportError, type ApiAnswer } from '../../net/api-client-transport.ts';
import { ApiError, parseJson, ServerUnreachableError, toApiError } from './client-error.ts';
import { readServerSentEvents } from './server-sent-events.ts';

type SchemaInput<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** The parts of a request that the route declares. */
type Input<Declared extends Route> = Readonly<
  (Declared extends { params: infer Params } ? { params: SchemaInput<Params> } : object) &
    (Declared extends { query: infer Query } ? { query?: SchemaInput<Query> } : object) &
    (Declared extends { body: infer Body } ? { body: SchemaInput<Body> } : object)
>;
type Result<Declared extends Route> = z.output<Declared['result']>;
type StreamEvent<Declared extends Route> = z.output<NonNullable<Declared['events']>>;

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

export interface Client {
  readonly baseUrl: string;
  /**
   * Calls an endpoint and checks its answer.
   *
   * @throws ApiError, ServerUnreachableError; the signal's reason when aborted.
   */
  call<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): Promise<Result<Declared>>;
  /**
   * Calls an endpoint that streams; the body must ask for it. Leaving the loop ends the request.
   *
   * @throws as `call`
   */
  stream<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Declared>>;
}

const maxAnswerBytes = 256 * 1024 * 1024;

/** A client for every endpoint of the contract, typed by the endpoint's own declaration. */
export function createClient(options: {
  /** Such as `http://127.0.0.1:1234`. */
  readonly baseUrl: string;
  readonly token?: string | undefined;
}): Client {
  const { baseUrl, token } = options;

  async function send(declared: Route, parts: Parts, signal: AbortSignal) {
    const url = new URL(fillPath(declared.path, parts.params ?? {}), baseUrl);
    for (const [name, value] of Object.entries(parts.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const answer = await sendApiRequest({
      method: declared.method.toUpperCase() as 'GET' | 'POST' | 'DELETE',
      url,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      signal,
    });
    if (answer.status === 200) return answer;
    throw toApiError(answer.status, await readText(answer));
  }

  const explained = (error: unknown): unknown =>
    error instanceof TransportError ? explain(error, baseUrl) : error;

  async function call<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): Promise<Result<Declared>> {
    try {
      const answer = await send(declared, input, signal);
      return check<Declared['result']>(declared.result, parseJson(await readText(answer)));
    } catch (error) {
      throw explained(error);
    }
  }

  async function* stream<Declared extends Route>(
    declared: Declared,
    input: Input<Declared>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Declared>> {
    if (declared.events === undefined) throw new TypeError('This endpoint does not stream.');
    try {
      const answer = await send(declared, input, signal);
      for await (const data of readServerSentEvents(answer.chunks)) {
        yield check<NonNullable<Declared['events']>>(declared.events, parseJson(data));
      }
    } catch (error) {
      throw explained(error);
    }
  }

  return { baseUrl, call, stream };
}

/** Encodes the parameters, but keeps their slashes: `/models/{model...}` becomes `/models/a/b`. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) =>
    String(params[name]).split('/').map(encodeURIComponent).join('/'),
  );
}

async function readText(answer: ApiAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.chunks) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxAnswerBytes) throw unexpected(`is larger than ${maxAnswerBytes} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unexpected('is not of the form that this version of hearth knows');
}

function unexpected(what: string): ApiError {
  return new ApiError({ type: 'unexpected_answer', message: `The server's answer ${what}.` });
}

/** Codes of failures before any answer: nothing listens there. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function explain(error: TransportError, baseUrl: string): ServerUnreachableError {
  const message =
    error.code !== undefined && unreachableCodes.has(error.code)
      ? `No server answers at ${baseUrl}. Start one with \`hearth serve\`, or in the background with \`hearth server start\`.`
      : `The connection to ${baseUrl} broke: ${error.message}`;
  return new ServerUnreachableError(message, { cause: error });
}

import type { TransportError } from '../../platform/net/api-client-transport.ts';
import { mcpErrorSchema } from '../../api/mcp/mcp-schema.ts';
import { errorBodySchema, openAiErrorBodySchema } from '../../api/kit/error-body.ts';
import { parseJson } from '../../kernel/parse-json.ts';

/** An error response of the server; the error table describes the fields. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly type: string;
  readonly code: string | undefined;
  /** HTTP status; undefined for an error event in a stream. */
  readonly status: number | undefined;
  readonly param: string | undefined;

  constructor(
    error: {
      readonly type: string;
      readonly message: string;
      readonly code?: string | null | undefined;
      readonly param?: string | null | undefined;
    },
    status?: number,
  ) {
    super(error.message);
    this.type = error.type;
    this.code = error.code ?? undefined;
    this.param = error.param ?? undefined;
    this.status = status;
  }
}

/** The server cannot be reached; the message tells the user what to do next. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError';
}

const connectFailureCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** True if the request failed before a connection was established. */
export function isConnectFailure({ code }: TransportError): boolean {
  return code !== undefined && connectFailureCodes.has(code);
}

/** Parses the error body of any API. If the body is not an error body, the error only has the status. */
export function toApiError(status: number, body: string): ApiError {
  const value = parseJson(body);
  const parsed = errorBodySchema.or(openAiErrorBodySchema).safeParse(value);
  if (parsed.success) return new ApiError(parsed.data.error, status);
  const refused = mcpErrorSchema.safeParse(value);
  if (refused.success) {
    const { message, data } = refused.data.error;
    return new ApiError(
      { type: data?.type ?? 'invalid_request', message, code: data?.code },
      status,
    );
  }
  return new ApiError(
    { type: 'unexpected_response', message: `The server responded with HTTP status ${status}.` },
    status,
  );
}

import { errorBodySchema, openAiErrorBodySchema } from '../../contract/error-body.ts';

/** An error that the server answered with; fields as in the error table. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly type: string;
  readonly code: string | undefined;
  /** HTTP status; undefined for an error within a stream. */
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

/** No server answers; the message says how to start one. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError';
}

/** Reads an error body of any surface; a body that is none becomes an error with the status. */
export function toApiError(status: number, body: string): ApiError {
  const value = parseJson(body);
  const parsed = errorBodySchema.or(openAiErrorBodySchema).safeParse(value);
  if (parsed.success) return new ApiError(parsed.data.error, status);
  return new ApiError(
    { type: 'unexpected_answer', message: `The server answered with HTTP status ${status}.` },
    status,
  );
}

/** Undefined where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

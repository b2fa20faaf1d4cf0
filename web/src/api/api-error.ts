/** A response with an error status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The error's code, such as `model_not_found`. */
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly requestId: string | undefined;

  constructor(options: {
    readonly status: number;
    readonly message: string;
    readonly code?: string | undefined;
    readonly param?: string | undefined;
    readonly requestId?: string | undefined;
  }) {
    super(options.message);
    this.status = options.status;
    this.code = options.code;
    this.param = options.param;
    this.requestId = options.requestId;
  }

  /** True if the token or session was refused; false if only a code in the body of the request was wrong. */
  get isSignedOut(): boolean {
    return this.status === 401 && this.code !== 'invalid_code';
  }
}

/** The server did not answer. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Reads the error of a response. If the body has another format, such as a proxy's page, the error only has the status. */
export async function toApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { status } = response;
  try {
    const body: unknown = await response.json();
    const { message, code, param } = errorFields(body);
    if (message !== undefined) return new ApiError({ status, message, code, param, requestId });
  } catch {
    // The body is not JSON.
  }
  return new ApiError({ status, message: `The server answered with status ${status}.`, requestId });
}

export function errorFields(body: unknown): {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
} {
  const error = field(body, 'error');
  return {
    message: text(error, 'message'),
    code: text(error, 'code'),
    param: text(error, 'param'),
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

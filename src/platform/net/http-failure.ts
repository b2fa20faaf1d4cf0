import type { IncomingHttpHeaders } from 'node:http';
import { errorCode } from '../../kernel/error-code.ts';
import { AddressRefused } from './address-policy.ts';

/**
 * The reason why a request failed. `status`: the response is not a success; `refused`: the egress policy forbids the
 * address; `interrupted`: the response ended early.
 */
export type HttpFailureReason =
  | 'unreachable'
  | 'refused'
  | 'status'
  | 'redirect'
  | 'too_large'
  | 'interrupted'
  | 'timeout';

interface HttpFailureDetail {
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  readonly isRedirected?: boolean;
  readonly cause?: unknown;
}

/** An HTTP request without a usable response. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly reason: HttpFailureReason;
  /** The HTTP status, if `reason` is `status`. */
  readonly status: number | undefined;
  /** Headers of the response if `reason` is `status`, else empty. */
  readonly headers: IncomingHttpHeaders;
  /** True if a redirect target failed. */
  readonly isRedirected: boolean;

  constructor(reason: HttpFailureReason, message: string, detail: HttpFailureDetail = {}) {
    super(message, { cause: detail.cause });
    this.reason = reason;
    this.status = detail.status;
    this.headers = detail.headers ?? {};
    this.isRedirected = detail.isRedirected ?? false;
  }
}

/** Converts an error of a request: to the signal's reason if aborted, or else to an HttpFailure. */
export function toHttpFailure(
  error: unknown,
  reason: HttpFailureReason,
  message: string,
  { signal, isRedirected = false }: { signal: AbortSignal; isRedirected?: boolean },
): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof HttpFailure) return error;
  const detail = { cause: error, isRedirected };
  if (error instanceof AddressRefused) return new HttpFailure('refused', error.message, detail);
  const code = errorCode(error);
  const isTimeout = code?.endsWith('_TIMEOUT') === true || code === 'ETIMEDOUT';
  const text = code === undefined ? message : `${message} (${code})`;
  return new HttpFailure(isTimeout ? 'timeout' : reason, text, detail);
}

import { HearthError } from '../../kernel/errors/errors.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { retryDelayMs } from '../../platform/net/retry-delay.ts';

interface SourceRequest {
  readonly host: string;
  /** The resource to name if the source answers that it does not exist; absent for a search. */
  readonly missing?: string;
}

/**
 * Converts the failure of a request to a registry or ModelScope into an error for clients.
 *
 * @returns HearthError `model_not_found` or `hub_unreachable`; other errors unchanged.
 */
export function sourceFailure(error: unknown, { host, missing }: SourceRequest): unknown {
  if (!(error instanceof HttpFailure)) return error;
  const { status } = error;
  if (missing !== undefined && (status === 404 || status === 401 || status === 403)) {
    return new HearthError(
      'model_not_found',
      `${host} has no ${missing}, or gives it to accounts only.`,
      { field: 'model', cause: error },
    );
  }
  const { isBusy, detail } = busyDetail(error);
  return new HearthError(
    'hub_unreachable',
    `${host} can't be used: ${error.message}. ` +
      (isBusy ? 'Try again later.' : 'Check the network, the proxy and hub.mirrors.'),
    detail,
  );
}

/** Error details if a source is only busy: the time after which to try again. */
export function busyDetail(cause: HttpFailure) {
  const isBusy = cause.status === 429 || cause.status === 503;
  const retryAfterSeconds = Math.ceil(retryDelayMs(cause, 6, 1) / 1000);
  return { isBusy, detail: { cause, ...(isBusy && { retryAfterSeconds }) } };
}

import { HearthError } from '../../../kernel/errors/errors.ts';
import { errorCode } from '../../../kernel/error-code.ts';
import { HttpFailure } from '../../../platform/net/http-failure.ts';
import { isReset } from '../../../platform/net/is-reset.ts';
import { KeyMismatch } from '../../../platform/net/pinned-key.ts';
import type { WireError } from '../wire/wire-error.ts';

/** An upstream answered with a status of 400 or more. */
export class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal';
  readonly status: number;
  /** From `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: string, retryAfterMs?: number) {
    super(messageOf(body));
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An upstream violated its API, or its answer broke off. */
export class UpstreamBroken extends Error {
  override readonly name = 'UpstreamBroken';
}

const maxMessageCharacters = 500;
const busyStatuses: ReadonlySet<number> = new Set([408, 429, 503]);
const defaultRetryAfterSeconds = 1;

/** True if another replica may succeed with the same request. */
export function isReplicaFault(error: unknown): boolean {
  if (error instanceof UpstreamRefusal) return error.status >= 500 || isBusy(error);
  return error instanceof HttpFailure || error instanceof UpstreamBroken;
}

/** True if the replica is only busy, which does not count as a failure. */
export function isBusy(error: unknown): boolean {
  return error instanceof UpstreamRefusal && busyStatuses.has(error.status);
}

/** True if the replica closed the connection before it answered, perhaps an idle connection just as it was reused. */
export function isClosedBefore(error: unknown): boolean {
  return error instanceof HttpFailure && error.reason === 'unreachable' && isReset(error.cause);
}

/**
 * True if the engine may have died during the request: the replica was not silent or busy, and did not reject the
 * request's content.
 */
export function isEngineLost(error: unknown): boolean {
  if (error instanceof HttpFailure) return error.reason !== 'timeout';
  return isReplicaFault(error) && !isBusy(error);
}

/** True if the upstream refused the request's content. */
export function isRefusedRequest(error: unknown): error is UpstreamRefusal {
  return error instanceof UpstreamRefusal && [400, 404, 405, 415, 422, 501].includes(error.status);
}

/** True if the server's key has changed since it was linked. */
export function hasOtherKey(error: unknown): boolean {
  return error instanceof HttpFailure && error.cause instanceof KeyMismatch;
}

/**
 * Converts an upstream's failure to a `HearthError`; returns other errors unchanged.
 *
 * @param isLinked True for a linked machine, which no setting names.
 */
export function toUpstreamError(error: unknown, upstream: string, isLinked = false): unknown {
  if (error instanceof UpstreamRefusal) return refusal(error, upstream, isLinked);
  if (error instanceof UpstreamBroken) {
    return new HearthError('upstream_error', `"${upstream}" failed: ${error.message}.`, {
      cause: error,
    });
  }
  if (!(error instanceof HttpFailure)) return error;
  if (error.cause instanceof KeyMismatch) {
    const { expected, actual } = error.cause;
    return new HearthError(
      'upstream_error',
      `"${upstream}" has the key ${actual}, but was linked with ${expected}. Another machine may have its address. If its key was replaced, run \`hearth link rm ${upstream}\` and link it again.`,
      { cause: error },
    );
  }
  if (error.reason === 'unreachable' || errorCode(error.cause) === 'UND_ERR_CONNECT_TIMEOUT') {
    return unavailable(upstream, `it can't be reached`, defaultRetryAfterSeconds, error);
  }
  const failure =
    error.reason === 'timeout'
      ? `sent nothing within ${isLinked ? 'five minutes' : `the time of "upstreams.${upstream}.timeoutSeconds"`}`
      : `failed: ${messageWithoutCode(error)}`;
  return new HearthError('upstream_error', `"${upstream}" ${failure}.`, { cause: error });
}

/** Removes a library's error code, which only the log should have. */
function messageWithoutCode({ message }: HttpFailure): string {
  return message.replace(/ \([A-Z_]+\)$/u, '');
}

/** @param reason Ends the sentence `... is not available: `. */
export function unavailable(
  upstream: string,
  reason: string,
  retryAfterSeconds: number,
  cause?: unknown,
): HearthError {
  return new HearthError('upstream_unavailable', `"${upstream}" is not available: ${reason}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
    cause,
  });
}

function refusal(error: UpstreamRefusal, upstream: string, isLinked: boolean): HearthError {
  const { status, message, retryAfterMs } = error;
  if (isBusy(error)) {
    const seconds = retryAfterMs === undefined ? defaultRetryAfterSeconds : retryAfterMs / 1000;
    return unavailable(upstream, `it is too busy (status ${status})`, seconds, error);
  }
  if (status === 401 || status === 403) {
    const reason = isLinked
      ? `ended the link. Run \`hearth link rm ${upstream}\`, and link it again to use it`
      : 'refuses the key of its settings';
    return new HearthError('upstream_error', `"${upstream}" ${reason}.`, { cause: error });
  }
  if (isContextExceeded(message)) {
    return new HearthError(
      'context_length_exceeded',
      `The prompt is too long for the model of "${upstream}": ${message}`,
      { cause: error },
    );
  }
  if (isRefusedRequest(error)) {
    return new HearthError('invalid_value', `"${upstream}" refuses the request: ${message}`, {
      cause: error,
    });
  }
  return new HearthError('upstream_error', `"${upstream}" answered ${status}: ${message}`, {
    cause: error,
  });
}

function isContextExceeded(message: string): boolean {
  return /context (?:length|size|window)|maximum (?:model )?length|too many tokens|exceed_context/iu.test(
    message,
  );
}

/** The message of an error body in OpenAI's or a similar format, else the beginning of the text. */
function messageOf(body: string): string {
  const found = findMessage(body) ?? body;
  const line = found.replaceAll(/\s+/gu, ' ').trim();
  return (line === '' ? 'no reason given' : line).slice(0, maxMessageCharacters);
}

function findMessage(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return (
      textAt(parsed, ['error', 'message']) ??
      textAt(parsed, ['message']) ??
      textAt(parsed, ['detail']) ??
      textAt(parsed, ['error'])
    );
  } catch {
    return /^\s*</u.test(body) ? 'a page in place of JSON' : undefined;
  }
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return typeof found === 'string' ? found : undefined;
}

/** An error event inside a stream. */
export function streamedFailure({ message }: WireError): UpstreamRefusal | UpstreamBroken {
  if (message === undefined) return new UpstreamBroken('an error without a message');
  return isContextExceeded(message)
    ? new UpstreamRefusal(400, message)
    : new UpstreamBroken(message.slice(0, maxMessageCharacters));
}

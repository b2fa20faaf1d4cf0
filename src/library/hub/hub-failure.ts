import { HearthError } from '../../kernel/errors/errors.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import type { RepositoryName } from './hub.ts';
import { busyDetail } from './source-failure.ts';

interface HubRequest {
  readonly endpoint: URL;
  readonly hasToken: boolean;
  /** Absent for a search. */
  readonly repository?: RepositoryName;
  readonly revision?: string | undefined;
}

/**
 * Converts the failure of a request to the hub into an error for clients.
 *
 * @returns HearthError `model_not_found`, `gated_repository` or `hub_unreachable`; a HearthError unchanged.
 */
export function hubFailure(error: unknown, request: HubRequest): HearthError {
  if (error instanceof HearthError) return error;
  if (!(error instanceof HttpFailure)) return nonsense(request.endpoint, error);
  if (error.status === undefined) return unreachable(request.endpoint, error);
  return refusal(error, error.status, request) ?? misbehavior(error, request.endpoint);
}

/** The error if a server does not answer like a model hub. */
export function nonsense(endpoint: URL, cause: unknown, what = 'no listing of a model hub') {
  return new HearthError(
    'hub_unreachable',
    `${endpoint.host} answered with ${what}. Check hub.endpoint, or try again later.`,
    { cause },
  );
}

function refusal(error: HttpFailure, status: number, request: HubRequest): HearthError | null {
  const { endpoint, hasToken, repository, revision } = request;
  if (repository === undefined) return null;
  const name = `${repository.owner}/${repository.name}`;
  const code = error.headers['x-error-code'];
  const detail = { field: 'model', cause: error };
  if (code === 'GatedRepo') return gated(endpoint, name, hasToken, error);
  if (code === 'RevisionNotFound' || code === 'EntryNotFound') {
    const what = code === 'EntryNotFound' ? 'such file' : `revision ${JSON.stringify(revision)}`;
    return new HearthError(
      'model_not_found',
      `${name} on ${endpoint.host} has no ${what}. Look at ${addressOf(endpoint, name)} for what there is.`,
      detail,
    );
  }
  if (status === 401 && hasToken && code !== 'RepoNotFound') {
    return new HearthError(
      'hub_unreachable',
      `${endpoint.host} does not accept the token in hub.token. Set one that is valid, or take it out.`,
      { cause: error },
    );
  }
  if (status !== 401 && status !== 404 && code !== 'RepoNotFound') return null;
  const hint = hasToken
    ? 'the account of hub.token may not see it'
    : 'it is private: set hub.token to a token of an account that may see it';
  return new HearthError(
    'model_not_found',
    `${endpoint.host} has no repository ${name}, or ${hint}.`,
    detail,
  );
}

function gated(endpoint: URL, name: string, hasToken: boolean, cause: unknown): HearthError {
  const then = hasToken
    ? 'with the account of hub.token'
    : 'with an account there, and set hub.token to a token of it';
  return new HearthError(
    'gated_repository',
    `${name} is given only to accounts that agreed to its terms. Agree at ${addressOf(endpoint, name)} ${then}.`,
    { field: 'model', cause },
  );
}

function unreachable(endpoint: URL, failure: HttpFailure): HearthError {
  const nextStep =
    failure.reason === 'refused' || failure.reason === 'redirect' || failure.reason === 'too_large'
      ? 'Check hub.endpoint.'
      : 'Check the network, the proxy and hub.endpoint, then try again.';
  return new HearthError(
    'hub_unreachable',
    `The model hub ${endpoint.host} can't be used: ${failure.message}. ${nextStep}`,
    { cause: failure },
  );
}

function misbehavior(failure: HttpFailure, endpoint: URL): HearthError {
  const { isBusy, detail } = busyDetail(failure);
  return new HearthError(
    'hub_unreachable',
    `The model hub can't be used: ${failure.message}. ${isBusy ? 'Try again later.' : `Check hub.endpoint (${endpoint.href}), or try again later.`}`,
    detail,
  );
}

function addressOf(endpoint: URL, name: string): string {
  return `${endpoint.href.replace(/\/$/, '')}/${name}`;
}

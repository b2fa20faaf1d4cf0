import type { Route } from '../../../src/api/kit/route.ts';
import type { Sent } from './send.ts';

interface HarmlessRequest extends Sent {
  /** Status for a caller that passes the permission check. */
  readonly status: number;
}

/** Routes that respond to the request below in another way than their method and path suggest. */
const otherStatuses: Readonly<Record<string, number>> = {
  // The path needs a hash.
  headBlobOllama: 400,
  pushBlobOllama: 400,
  // They have a required field in their query.
  getModelDetails: 400,
  revokeOtherSessions: 400,
  // None of the callers is a linked machine.
  unpairMachine: 404,
  // The hub of the test can't be reached.
  getHubRepository: 502,
};

/**
 * A request that changes nothing and still tells whether it passed the permission check, which comes first: its body
 * has a wrong type, or its path names something that does not exist.
 */
export function harmlessRequest(route: Route): HarmlessRequest {
  const path = route.path.replaceAll(/\{\w+(\.\.\.)?\}/g, 'absent');
  const method = route.method.toUpperCase();
  const other = otherStatuses[route.operationId];
  if (route.upload !== undefined)
    return { ...bodyOf('application/json'), path, method, status: other ?? 415 };
  if (route.body !== undefined) return { ...bodyOf('application/json'), path, method, status: 400 };
  if (['POST', 'PUT', 'PATCH'].includes(method)) {
    return { ...bodyOf('text/plain'), path, method, status: 415 };
  }
  return { path, method, status: other ?? (route.params === undefined ? 200 : 404) };
}

/** An array is the body of no route. */
function bodyOf(contentType: string) {
  return { headers: { 'content-type': contentType }, body: '[]' };
}

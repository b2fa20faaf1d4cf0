import type { Route } from '../../../src/api/kit/route.ts';
import type { Sent } from './send.ts';

interface HarmlessRequest extends Sent {
  /** Expected status for a caller that passes the permission check. */
  readonly status: number;
}

/** Statuses of routes that respond to this request differently than their method and path suggest. */
const otherStatuses: Readonly<Record<string, number>> = {
  // The path must contain a hash.
  headBlobOllama: 400,
  pushBlobOllama: 400,
  // These routes require a query field.
  getModelDetails: 400,
  revokeOtherSessions: 400,
  // No caller is a linked machine.
  unpairMachine: 404,
  // The test's hub can't be reached.
  getHubRepository: 502,
};

/**
 * A request that changes nothing but shows whether it passed the permission check, which comes first. Its body has a
 * wrong type, or its path names something that does not exist.
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

/** An array, since no route accepts one. */
function bodyOf(contentType: string) {
  return { headers: { 'content-type': contentType }, body: '[]' };
}

import type { Endpoint } from '../../../src/api/kit/mount.ts';
import type { Route } from '../../../src/api/kit/route.ts';
import type { Permission } from '../../../src/kernel/permission.ts';
import type { Caller } from './callers.ts';
import { harmlessRequest } from './harmless-request.ts';
import { send, type Received } from './send.ts';

/** Calls a route as each caller. */
export async function permissionRow(
  url: string,
  { route, api }: Endpoint,
  callers: readonly Caller[],
): Promise<{ readonly cells: number; readonly surprises: readonly string[] }> {
  const needed = new Set([route.permission].flat());
  const concerned = callers.filter(({ lacks }) => lacks === undefined || needed.has(lacks));
  const { path, ...request } = harmlessRequest(route);
  // Some paths belong to two APIs; these headers select one.
  const ofClient = Object.fromEntries((api.clientHeaders ?? []).map((name) => [name, '1']));
  const row = await Promise.all(
    concerned.map(async (caller) => {
      const headers = { ...ofClient, ...request.headers, ...caller.headers };
      const target = caller.query === undefined ? path : `${path}?${caller.query}`;
      const received = await send(url, { ...request, path: target, headers });
      return surprisesOf(route, caller, received);
    }),
  );
  return { cells: row.length, surprises: row.flat() };
}

/** A request that needs more permissions than its route, because of its content. */
export interface ContentRow {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly needs: readonly Permission[];
  /** Expected status for a caller with these permissions. */
  readonly status: number;
}

/** Sends a request as each caller. */
export async function contentRow(
  url: string,
  { name, method, path, body, needs, status: passed }: ContentRow,
  callers: readonly Caller[],
): Promise<readonly string[]> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const row = await Promise.all(
    callers.map(async (caller) => {
      const { permissions, identity } = caller;
      const isEnough =
        permissions.includes('admin') || needs.every((each) => permissions.includes(each));
      const refused = identity === 'known' || identity === 'foreign' ? 403 : 401;
      const headers = { ...type, ...caller.headers };
      const { status, text } = await send(url, { method, path, headers, ...sent });
      const expected = isEnough ? passed : refused;
      return status === expected
        ? []
        : [`${name} by ${caller.name}: ${status} instead of ${expected}: ${text.slice(0, 200)}`];
    }),
  );
  return row.flat();
}

/** Differences between a response and the expected one. */
function surprisesOf(
  route: Route,
  caller: Caller,
  { status, headers, text }: Received,
): readonly string[] {
  const refusal = refusalOf(route, caller);
  const reached = harmlessRequest(route).status;
  // With a query, 400 is also accepted, since the route may not allow it.
  const passed = caller.query === undefined ? [reached] : [reached, 400];
  const expected = refusal === undefined ? passed : [refusal];
  const isError = status >= 400;
  const wrong = {
    [`${status} instead of ${expected.join(' or ')}`]: !expected.includes(status),
    'its type may be guessed': headers['x-content-type-options'] !== 'nosniff',
    'pages may read it': headers['access-control-allow-origin'] !== undefined,
    'is not JSON': isError && headers['content-type'] !== 'application/json',
    'has no error': isError && !text.includes('"error"'),
    'does not ask for a token': status === 401 && headers['www-authenticate'] !== 'Bearer',
    'shows a token': /hearth-[0-9a-f]{10}-[0-9a-f]/.test(text),
  };
  return Object.keys(wrong)
    .filter((what) => wrong[what])
    .map((what) => `${route.operationId} by ${caller.name}: ${what}: ${text.slice(0, 200)}`);
}

/** Expected status if a route's permission excludes the caller; undefined if the caller has it. */
function refusalOf({ permission }: Route, caller: Caller): number | undefined {
  if (caller.identity === 'foreign') return 403;
  if (caller.identity === 'invalid') return 401;
  if (permission === null) return undefined;
  const isEnough = [permission, 'admin' as const]
    .flat()
    .some((each) => caller.permissions.includes(each));
  if (isEnough) return undefined;
  return caller.identity === 'anonymous' && caller.permissions.length === 0 ? 401 : 403;
}

import type { ErrorSerializer } from './errors/error-serializer.ts';

/** The paths of an API; `src/api/apis.ts` lists all APIs. */
export interface PathClaim {
  /** All paths of its endpoints begin with one of these, such as `/api/v1`. */
  readonly prefixes: readonly string[];
  /**
   * Request headers that only clients of this API send, such as `anthropic-version`. If several APIs share a path or
   * prefix, these headers decide which one gets the request.
   */
  readonly clientHeaders?: readonly string[];
  /**
   * Paths of the vendor's API that this API does not serve, although another API has them. Clients of this API get 404
   * there.
   */
  readonly unservedPaths?: readonly string[];
}

/** An API: a group of endpoints with one error format, for one kind of client. */
export interface ApiDescription extends PathClaim {
  /** Tag of its endpoints in the OpenAPI document. */
  readonly name: string;
  readonly description: string;
  /** True if programs may send JSON without declaring it, as curl does; web pages may not. */
  readonly takesUndeclaredJson?: boolean;
  readonly errorSerializer: ErrorSerializer;
  /** Response header with the request's id, besides `X-Request-Id`. */
  readonly requestIdHeader?: string;
  /** Vendor whose names the rate-limit headers use; OpenAI's by default. */
  readonly rateLimitStyle?: 'anthropic';
}

interface RequestHead {
  readonly path: string;
  header(name: string): string | undefined;
}

/**
 * Selects the API whose error format a request without an endpoint gets: the one with the longest matching prefix. If
 * several have that prefix, selects by client.
 */
export function findApi<Candidate extends PathClaim>(
  apis: readonly Candidate[],
  request: RequestHead,
): Candidate | undefined {
  const lengths = apis.map(({ prefixes }) => matchLength(prefixes, request.path));
  const longest = Math.max(...lengths);
  if (longest < 0) return undefined;
  return chooseByClient(
    apis.filter((_, index) => lengths[index] === longest),
    request,
  );
}

/**
 * Chooses among APIs that share a path: the one whose client sent the request, or else the one without client headers.
 */
export function chooseByClient<Candidate extends PathClaim>(
  apis: readonly Candidate[],
  request: Pick<RequestHead, 'header'>,
): Candidate | undefined {
  return (
    apis.find((api) => isFromClient(api, request)) ??
    apis.find(({ clientHeaders = [] }) => clientHeaders.length === 0) ??
    apis[0]
  );
}

/** True if a client of the API sent the request. */
export function isFromClient(
  { clientHeaders = [] }: PathClaim,
  request: Pick<RequestHead, 'header'>,
): boolean {
  return clientHeaders.some((name) => request.header(name) !== undefined);
}

/** True if the path begins with a prefix. */
export function hasPrefix(prefixes: readonly string[], path: string): boolean {
  return matchLength(prefixes, path) >= 0;
}

/** Length of the longest prefix that matches; -1 if none does. */
function matchLength(prefixes: readonly string[], path: string): number {
  let longest = -1;
  for (const prefix of prefixes) {
    const length = prefix.endsWith('/') ? prefix.length - 1 : prefix.length;
    const isEnd = path.length === length || path[length] === '/';
    if (length > longest && isEnd && path.startsWith(prefix.slice(0, length))) longest = length;
  }
  return longest;
}

import type { ErrorSerializer } from './errors/error-serializer.ts';

/** An API: a group of endpoints with one error format, for one kind of client. */
export interface SurfaceDescription {
  /** Tag of its endpoints in the OpenAPI document. */
  readonly name: string;
  readonly description: string;
  /** All paths of its endpoints begin with one of these, such as `/api/v1`. */
  readonly prefixes: readonly string[];
  /**
   * Request headers that only its clients send, such as `anthropic-version`. They choose the surface of a
   * request to a path or prefix that it shares with another surface.
   */
  readonly clientHeaders?: readonly string[];
  /** Paths of its vendor's API that it does not serve although another surface does: its clients get 404 there. */
  readonly unservedPaths?: readonly string[];
  /** Whether programs may send JSON without declaring it, as curl does; web pages may not. */
  readonly takesUndeclaredJson?: boolean;
  readonly errorSerializer: ErrorSerializer;
  /** Header of its responses with the id of the request, besides `X-Request-Id`. */
  readonly requestIdHeader?: string;
  /** Whose names the headers with the limits of a token have; OpenAI's by default. */
  readonly rateLimitStyle?: 'anthropic';
}

/** What choosing a surface needs of a request. */
interface RequestHead {
  readonly path: string;
  header(name: string): string | undefined;
}

/**
 * The surface of a request, by path and headers alone: the one with the longest matching prefix. Among several
 * with that prefix the first whose client sent the request wins, then the first without client headers.
 */
export function findSurface<
  Candidate extends Pick<SurfaceDescription, 'prefixes' | 'clientHeaders'>,
>(surfaces: readonly Candidate[], request: RequestHead): Candidate | undefined {
  const lengths = surfaces.map((surface) => matchLength(surface, request.path));
  const longest = Math.max(...lengths);
  if (longest < 0) return undefined;
  return chooseByClient(
    surfaces.filter((_, index) => lengths[index] === longest),
    request,
  );
}

/** Of surfaces that share a path: the one whose client sent the request, or else the one without client headers. */
export function chooseByClient<Candidate extends Pick<SurfaceDescription, 'clientHeaders'>>(
  surfaces: readonly Candidate[],
  request: Pick<RequestHead, 'header'>,
): Candidate | undefined {
  return (
    surfaces.find(({ clientHeaders = [] }) =>
      clientHeaders.some((name) => request.header(name) !== undefined),
    ) ??
    surfaces.find(({ clientHeaders = [] }) => clientHeaders.length === 0) ??
    surfaces[0]
  );
}

/** The surface of the client that sent the request, if that surface does not serve the path. */
export function unservedBy<
  Candidate extends Pick<SurfaceDescription, 'clientHeaders' | 'unservedPaths'>,
>(surfaces: readonly Candidate[], request: RequestHead): Candidate | undefined {
  return surfaces.find(
    ({ clientHeaders = [], unservedPaths = [] }) =>
      matchLength({ prefixes: unservedPaths }, request.path) >= 0 &&
      clientHeaders.some((name) => request.header(name) !== undefined),
  );
}

/** Whether a path is that of a surface. */
export function hasPath(surface: Pick<SurfaceDescription, 'prefixes'>, path: string): boolean {
  return matchLength(surface, path) >= 0;
}

/** Length of the longest prefix that matches; -1 if none does. */
function matchLength({ prefixes }: Pick<SurfaceDescription, 'prefixes'>, path: string): number {
  let longest = -1;
  for (const prefix of prefixes) {
    const length = prefix.endsWith('/') ? prefix.length - 1 : prefix.length;
    const isEnd = path.length === length || path[length] === '/';
    if (length > longest && isEnd && path.startsWith(prefix.slice(0, length))) longest = length;
  }
  return longest;
}

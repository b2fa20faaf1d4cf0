import type { IncomingHttpHeaders } from 'node:http';

/** Statuses that do not allow a body, not even an empty one. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** True if a `Response` of this status may have a body. */
export function mayHaveBody(status: number): boolean {
  return !statusesWithoutBody.has(status);
}

/** Builds a `Response` for libraries that accept a `fetch`. */
export function toFetchResponse(
  { status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders },
  body: Uint8Array | ReadableStream<Uint8Array> | null,
): Response {
  const fetchHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of [value ?? []].flat()) fetchHeaders.append(name, each);
  }
  const content = mayHaveBody(status) ? (body as ReadableStream<Uint8Array> | null) : null;
  // `Response` has no status beyond 599, though a server may send one.
  return new Response(content, { status: status > 599 ? 502 : status, headers: fetchHeaders });
}

import type { HttpClient } from './http-client.ts';

interface FetchOptions {
  readonly signal: AbortSignal;
  /** Most bytes of one answer; it is held as a whole. */
  readonly maxBytes: number;
}

/** GET as a library that takes a `fetch` asks for it. */
export type GetFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for libraries that ask for one: GET alone, through a client and within its reach. Its headers go
 * to the origin that was asked and no further; an answer of any status is an answer.
 *
 * @throws HttpFailure where there is no answer; TypeError for another method; the signal's reason when aborted.
 */
export function createFetch(client: HttpClient, options: FetchOptions): GetFetch {
  return async (input, init = {}) => {
    const request = new Request(input, init);
    if (request.method !== 'GET') throw new TypeError(`${request.method} can't be sent here`);
    const { body, status, headers } = await client.get(new URL(request.url), {
      ...options,
      headers: Object.fromEntries(request.headers),
      isSuccess: (code) => code >= 200 && code < 600,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const given = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      for (const one of [value ?? []].flat()) given.append(name, one);
    }
    // These three can have no body, not even an empty one.
    const content = [204, 205, 304].includes(status) ? null : Buffer.concat(pieces);
    return new Response(content, { status, headers: given });
  };
}

import * as z from 'zod';
import type { HttpClient, HttpGetOptions } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { readBody } from './read-body.ts';

const tokenSchema = z
  .object({ token: z.string().optional(), access_token: z.string().optional() })
  .transform(({ token, access_token: accessToken }) => token ?? accessToken)
  .pipe(z.string().regex(/^[\x21-\x7e]{1,16384}$/));
const maxAnswerBytes = 64 * 1024;
const maxTokens = 1000;

/**
 * Returns a client that fetches an anonymous token if the registry asks for one, and a new one when it expires. Sends a
 * token to the registry's own origin only. Source: the token authentication of the distribution project, to which the
 * OCI distribution specification refers.
 */
export function withRegistryTokens(http: HttpClient): HttpClient {
  /** By origin and repository. */
  const tokens = new Map<string, string>();
  return {
    close: () => http.close(),
    async get(url, options) {
      const key = `${url.origin} ${repositoryOf(url)}`;
      const known = tokens.get(key);
      try {
        return await http.get(url, authorized(options, known));
      } catch (error) {
        const challenge = challengeOf(error, url);
        if (challenge === undefined) throw error;
        // A concurrent request may already have fetched a new token.
        const current = tokens.get(key);
        const token =
          current === undefined || current === known
            ? await fetchToken(http, challenge, options.signal)
            : current;
        if (tokens.size >= maxTokens) tokens.clear();
        tokens.set(key, token);
        return http.get(url, authorized(options, token));
      }
    },
  };
}

function authorized(options: HttpGetOptions, token: string | undefined): HttpGetOptions {
  if (token === undefined) return options;
  return { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } };
}

/** `/v2/<repository>/manifests/...` or `/v2/<repository>/blobs/...`. */
function repositoryOf({ pathname }: URL): string {
  return pathname.replace(/\/(?:manifests|blobs)\/[^/]*$/, '');
}

/** The URL of the token server; undefined unless the registry itself asks for a token. */
function challengeOf(error: unknown, registry: URL): URL | undefined {
  if (!(error instanceof HttpFailure) || error.status !== 401 || error.isRedirected) return;
  const header = error.headers['www-authenticate'] ?? '';
  if (!/^Bearer\s/i.test(header)) return;
  const parameters = new Map(
    [...header.slice(0, 4096).matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const realm = parameters.get('realm') ?? '';
  if (!URL.canParse(realm)) return;
  const url = new URL(realm);
  // Like redirects, never from https to http.
  const isAllowed = url.protocol === 'https:' || url.protocol === registry.protocol;
  if (!isAllowed || url.username !== '' || url.password !== '') return;
  for (const name of ['service', 'scope']) {
    const value = parameters.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

async function fetchToken(http: HttpClient, url: URL, signal: AbortSignal): Promise<string> {
  const body = await readBody(http, url, { signal, maxBytes: maxAnswerBytes });
  try {
    return tokenSchema.parse(JSON.parse(body.toString()));
  } catch (error) {
    throw new HttpFailure('interrupted', `${url.host} answered without a token`, { cause: error });
  }
}

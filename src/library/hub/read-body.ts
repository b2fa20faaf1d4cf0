import { TimeoutError, withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { HttpClient, HttpGetOptions, HttpResponse } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { withRetries, type RetryPolicy } from '../../platform/net/with-retries.ts';

/** Waits between two attempts; tests replace it. */
export type RetryWait = NonNullable<RetryPolicy['wait']>;

/** If `Retry-After` is longer, the request fails, since a client is waiting. */
const retryPolicy: RetryPolicy = { maxFailures: 3, maxDelayMs: 10_000 };
/** Time limit for one answer, from the request to the last byte. */
const answerTimeoutMs = 60_000;

/** Reads the whole body of a small answer. @throws The errors of `HttpClient.get`. */
export async function readBody(
  http: HttpClient,
  url: URL,
  options: HttpGetOptions,
): Promise<Buffer> {
  return (await readAnswer(http, url, options)).body;
}

/** Reads a small answer, and retries transient failures. @throws HttpFailure; the signal's reason when aborted. */
export function readWithRetries(
  http: HttpClient,
  url: URL,
  { wait, ...options }: HttpGetOptions & { readonly wait?: RetryWait | undefined },
): Promise<Omit<HttpResponse, 'body'> & { readonly body: Buffer }> {
  const { signal } = options;
  const attempt = async () => {
    try {
      return await withTimeout(answerTimeoutMs, signal, (within) =>
        readAnswer(http, url, { ...options, signal: within }),
      );
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw new HttpFailure('timeout', `${url.host} took too long to answer`, { cause: error });
    }
  };
  return withRetries({ attempt, policy: { ...retryPolicy, ...omitUndefined({ wait }) }, signal });
}

async function readAnswer(http: HttpClient, url: URL, options: HttpGetOptions) {
  const response = await http.get(url, options);
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return { ...response, body: Buffer.concat(pieces) };
}

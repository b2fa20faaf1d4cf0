import { AwsV4Signer } from 'aws4fetch';
import { createHash } from 'node:crypto';
import { HearthError } from '../../kernel/errors/errors.ts';
import { HttpFailure, toHttpFailure } from '../../platform/net/http-failure.ts';
import { createHttpSender, discardBody } from '../../platform/net/http-sender.ts';
import type { ResponseReader } from '../../platform/net/response-reader.ts';
import { withRetries } from '../../platform/net/with-retries.ts';
import type { ObjectStorage } from '../blobs/object-storage.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

interface S3StorageOptions {
  /** `https://HOST/BUCKET` or `https://HOST/BUCKET/PREFIX`. */
  readonly url: string;
  readonly credentials: S3Credentials;
  /** Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Time without data from the storage after which a request fails. */
  readonly idleTimeoutMs?: number;
}

/** Bytes to read of an error's body, which begins with the code and the message. */
const maxErrorBytes = 4096;
const maxObjectBytes = 256 * 1024 * 1024;
const retryAfterSeconds = 5;
const retries = { maxFailures: 3, maxDelayMs: 3000 };

/** A bucket of S3 or of another storage with its API (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
export function createS3Storage({
  url,
  credentials,
  environment,
  idleTimeoutMs = 15_000,
}: S3StorageOptions): ObjectStorage {
  const base = url.replace(/\/+$/, '');
  const { host } = new URL(base);
  const { sessionToken, ...keys } = credentials;
  // The server's owner chose the address, so any is allowed.
  const sender = createHttpSender({ environment, idleTimeoutMs, egress: { type: 'any' } });
  const closing = new AbortController();
  const { signal } = closing;

  async function send(
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    content?: { readonly bytes: Uint8Array; readonly mediaType: string },
  ): Promise<ResponseReader> {
    const body = content?.bytes ?? new Uint8Array();
    const signed = await new AwsV4Signer({
      ...keys,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: 's3',
      method,
      url: `${base}/${key}`,
      headers: {
        'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
        ...(content === undefined ? {} : { 'content-type': content.mediaType }),
      },
    }).sign();
    const { response } = await sender.send({
      url: signed.url,
      method,
      headers: Object.fromEntries(signed.headers),
      forwardedHeaders: {},
      body: content?.bytes,
      signal,
    });
    const { status } = response;
    if (status < 300 || status === 404) return response;
    const text = (await readBody(response, maxErrorBytes).catch(() => Buffer.alloc(0))).toString();
    const reason = /<Message>([^<]+)<\/Message>/.exec(text)?.[1];
    const message = `${host} answered ${status}${reason === undefined ? '' : `: ${reason}`}`;
    throw new HttpFailure('status', message, { status, headers: response.headers });
  }

  async function readBody(response: ResponseReader, maxBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    try {
      for (let batch = await response.read(); batch !== undefined; batch = await response.read()) {
        pieces.push(...batch);
        sizeBytes += batch.reduce((sum, piece) => sum + piece.length, 0);
        if (sizeBytes > maxBytes) {
          throw new HttpFailure('too_large', `${host} sent more than ${maxBytes} bytes`);
        }
      }
    } catch (error) {
      throw toHttpFailure(error, 'interrupted', `the answer of ${host} broke off`, { signal });
    } finally {
      response.close();
    }
    return Buffer.concat(pieces);
  }

  /** Repeats failed requests, since all of them are idempotent. */
  async function request<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await withRetries({ attempt, policy: retries, signal });
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      const message = `The storage of images is not available: ${error.message}.`;
      throw new HearthError('store_unavailable', message, { cause: error, retryAfterSeconds });
    }
  }

  return {
    put: (key, bytes, mediaType) =>
      request(async () => {
        const response = await send('PUT', key, { bytes, mediaType });
        const { status, headers } = response;
        await discardBody(response);
        if (status !== 404) return;
        const message = `${host} answered 404: there is no such bucket`;
        throw new HttpFailure('status', message, { status, headers });
      }),
    get: (key) =>
      request(async () => {
        const response = await send('GET', key);
        if (response.status !== 404) return readBody(response, maxObjectBytes);
        await discardBody(response);
        return undefined;
      }),
    delete: (key) => request(async () => discardBody(await send('DELETE', key))),
    close: async () => {
      closing.abort(new HearthError('shutting_down', 'The server is stopping.'));
      await sender.close();
    },
  };
}

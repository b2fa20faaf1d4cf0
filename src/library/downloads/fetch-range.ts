import type { IncomingHttpHeaders } from 'node:http';
import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { FileAddress } from '../hub/model-sources.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { SpentBuffers } from './spent-buffers.ts';

/** The hub does not support ranges: files must be read from their beginning. */
export class RangeIgnored extends Error {
  override readonly name = 'RangeIgnored';
}

/** The source of a file. */
export interface FileSource extends FileAddress {
  /** Path in the repository, for messages. */
  readonly path: string;
  /** Size according to the hub. */
  readonly sizeBytes: number;
  /** Number of bytes to collect before they are written and recorded; a kill loses fewer per connection. */
  readonly batchBytes: number;
}

interface RangeRequest {
  readonly source: FileSource;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly signal: AbortSignal;
  /** Receives the bytes in order. The buffers are valid until the promise settles; the next call waits for it. */
  readonly write: (pieces: readonly Uint8Array[]) => Promise<void>;
}

/** Longest time between two writes, so that slow and stalled transfers show progress. */
const maxBatchMs = 1000;

interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Fetches a range of a file, or the whole file, and never passes on more bytes than requested. `If-Range` is not needed:
 * the URL names a commit, whose files don't change, and the hash of the whole file is checked at the end.
 *
 * @throws RangeIgnored if the hub sends the whole file instead of a range; HttpFailure;
 *   HearthError `hub_unreachable` if the file has another size than the hub lists; the signal's reason.
 */
export async function fetchRange(request: RangeRequest): Promise<void> {
  const { source, start, end, signal } = request;
  signal.throwIfAborted();
  const attempt = linkAbort(signal);
  try {
    const response = await source.http.get(source.url, {
      signal: attempt.signal,
      maxBytes: Number.MAX_SAFE_INTEGER,
      headers: source.headers,
      forwardedHeaders: {
        'accept-encoding': 'identity',
        ...(isWhole(request) ? {} : { range: `bytes=${start}-${end - 1}` }),
      },
    });
    assertAnswers(response, request);
    await passOn(response.body, request);
  } catch (error) {
    throw isBeyondEnd(error) ? sizeDiffers(source, sizeSaidBy(error)) : error;
  } finally {
    // Closes the connection if the response was not read completely.
    attempt.abort();
  }
}

/** True if the file on the hub is smaller than listed. */
function isBeyondEnd(error: unknown): error is HttpFailure {
  return error instanceof HttpFailure && error.status === 416;
}

function sizeSaidBy({ headers }: HttpFailure): string {
  return /^bytes \*\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? 'fewer';
}

async function passOn(body: AsyncIterable<Uint8Array>, request: RangeRequest): Promise<void> {
  const { source, start, end, write } = request;
  let remaining = end - start;
  let batch: Uint8Array[] = [];
  let batchedBytes = 0;
  let writing: Promise<void> | undefined;
  const spent = new SpentBuffers();
  /** Batches are written in order, even if the timer starts a write. Starts at once if no write is in progress. */
  const writeAfter = async (
    previous: Promise<void> | undefined,
    pieces: readonly Uint8Array[],
  ): Promise<void> => {
    if (previous !== undefined) await previous;
    await write(pieces);
    spent.free(pieces);
  };
  /** After a failed write, all later ones fail. */
  const flush = async (): Promise<void> => {
    const pieces = batch;
    batch = [];
    batchedBytes = 0;
    if (pieces.length === 0) return writing;
    const current = writeAfter(writing, pieces);
    writing = current;
    await current;
    if (writing === current) writing = undefined;
  };
  // A stalled connection sends no data that could trigger a write. The next flush reports a failure.
  const timer = setInterval(() => void flush().catch(() => {}), maxBatchMs);
  try {
    for await (const piece of body) {
      if (piece.length > remaining) throw tooLong(request);
      remaining -= piece.length;
      batch.push(piece);
      batchedBytes += piece.length;
      if (batchedBytes >= source.batchBytes) await flush();
    }
  } finally {
    clearInterval(timer);
    // Received bytes are kept, even if the transfer fails.
    await flush();
  }
  if (remaining > 0) {
    throw new HttpFailure(
      'interrupted',
      `${source.url.host} sent ${end - start - remaining} of the ${end - start} bytes of ` +
        `${source.path} that were requested`,
    );
  }
}

function isWhole({ source, start, end }: RangeRequest): boolean {
  return start === 0 && end === source.sizeBytes;
}

function assertAnswers({ status, headers }: Head, request: RangeRequest): void {
  const { source } = request;
  const { host } = source.url;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new HttpFailure('interrupted', `${host} sent the file encoded`);
  if (status === 206) {
    assertRange(headers['content-range'], request);
    return;
  }
  if (status !== 200) throw new HttpFailure('interrupted', `${host} answered ${status}`);
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== source.sizeBytes) {
    throw sizeDiffers(source, length);
  }
  if (!isWhole(request)) throw new RangeIgnored(`${host} sends whole files only`);
}

function assertRange(header: string | undefined, { source, start, end }: RangeRequest): void {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header ?? '');
  const total = match?.[3] ?? '*';
  if (total !== '*' && Number(total) !== source.sizeBytes) throw sizeDiffers(source, total);
  if (match !== null && Number(match[1]) === start && Number(match[2]) === end - 1) return;
  throw new HttpFailure(
    'interrupted',
    `${source.url.host} answered with another range (${JSON.stringify((header ?? '').slice(0, 80))}) than ` +
      `bytes ${start}-${end - 1} of ${source.path}`,
  );
}

/** @param actual Number of bytes as text, as the hub sent it. */
function sizeDiffers({ path, sizeBytes }: FileSource, actual: string): HearthError {
  return new HearthError(
    'hub_unreachable',
    `The hub lists ${path} with ${sizeBytes} bytes, but the file it sends has ${actual.slice(0, 20)}.`,
  );
}

function tooLong(request: RangeRequest): Error {
  const { source, start, end } = request;
  const count = end - start;
  if (isWhole(request)) return sizeDiffers(source, `more than ${count}`);
  return new HttpFailure(
    'interrupted',
    `${source.url.host} sent more than the ${count} requested bytes`,
  );
}

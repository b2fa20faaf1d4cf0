import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';

export interface ArchiveDownload {
  readonly url: URL;
  readonly sha256: string;
  readonly file: string;
  /** Delays before the second, third, ... attempt of a failed transfer. */
  readonly retryDelaysMs: readonly number[];
  readonly onProgress: (receivedBytes: number, totalBytes?: number) => void;
}

const maxBytes = 2 * 1024 ** 3;

/**
 * Downloads a file and checks its SHA-256.
 *
 * @throws HttpFailure; Error if the hash differs; the file must then not be used.
 */
export async function downloadArchive(
  client: HttpClient,
  download: ArchiveDownload,
  signal: AbortSignal,
): Promise<void> {
  for (const delayMs of download.retryDelaysMs) {
    try {
      return await downloadOnce(client, download, signal);
    } catch (error) {
      if (!isWorthRetrying(error)) throw error;
    }
    await wait(delayMs, undefined, { signal });
  }
  await downloadOnce(client, download, signal);
}

async function downloadOnce(
  client: HttpClient,
  { url, sha256, file, onProgress }: ArchiveDownload,
  signal: AbortSignal,
): Promise<void> {
  const response = await client.get(url, { signal, maxBytes, onProgress });
  const hash = createHash('sha256');
  await pipeline(
    response.body,
    async function* hashed(pieces) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(file),
    { signal },
  );
  const actual = hash.digest('hex');
  if (actual !== sha256) {
    throw new Error(`its SHA-256 is ${actual}, not ${sha256}: the file was changed or damaged`);
  }
}

/** Does not retry an unreachable host, since the wheel may be available elsewhere. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof HttpFailure)) return false;
  if (error.status !== undefined) return error.status >= 500 || error.status === 429;
  return error.reason === 'interrupted';
}

import { setTimeout as delay } from 'node:timers/promises';
import {
  type DownloadJobRecord,
  type DownloadStartRecord,
  getDownload,
} from '../../api/v1/downloads/download-schema.ts';
import { ApiError, ServerUnreachableError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { CommandError } from '../failure.ts';
import { formatBytes, formatDuration } from '../../kernel/format.ts';
import { createProgress } from '../ui/progress.ts';
import type { TerminalStream } from '../ui/terminal.ts';
import { getModel, type ModelType } from '../../api/v1/models/model-schema.ts';
import type { ModelEntry } from '../../server/offline/models.ts';
import { printable } from '../../kernel/printable.ts';

const pollMs = 300;
/** Tolerates a restart of the server; the job continues afterwards. */
const maxOutageMs = 60_000;

interface FollowOptions {
  readonly job: DownloadJobRecord;
  readonly client: Client;
  readonly messages: TerminalStream;
  /** Connects again: after a restart, the server may have another address and another owner's token. */
  readonly reconnect: () => Promise<Client>;
  readonly signal: AbortSignal;
  /** Called with each state of the job. */
  readonly onState: (job: DownloadJobRecord) => void;
}

/**
 * Shows the progress of a download until it ends; tolerates short outages of the server.
 *
 * @returns The completed, failed or paused job.
 * @throws ApiError, ServerUnreachableError, CommandError; the signal's reason when aborted.
 */
export async function followDownload(options: FollowOptions): Promise<DownloadJobRecord> {
  const { messages, reconnect, signal, onState } = options;
  const progress = createProgress(messages, 'Downloading');
  let { job } = options;
  let client: Client | undefined = options.client;
  let shownBytes: number | undefined;
  let lostAt: number | undefined;
  try {
    for (;;) {
      if (lostAt === undefined) {
        const isWaiting = job.bytes_per_second === 0 && job.downloaded_bytes === shownBytes;
        shownBytes = job.downloaded_bytes;
        progress.update(
          progressFraction(job),
          `${describeProgress(job)}${isWaiting ? ', waiting' : ''}`,
        );
        if (job.status !== 'downloading') return job;
      }
      await delay(pollMs, undefined, { signal });
      const isReconnecting = client === undefined;
      try {
        client ??= await reconnect();
        job = await client.call(getDownload, { params: { job_id: job.job_id } }, signal);
        lostAt = undefined;
        onState(job);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApiError && error.code === 'job_not_found') {
          throw new CommandError('The download was cancelled.', { cause: error });
        }
        client = undefined;
        if (!isReconnecting && isTokenRefused(error)) continue;
        if (!isOutage(error)) throw error;
        lostAt ??= performance.now();
        if (performance.now() - lostAt > maxOutageMs) throw error;
        progress.update(progressFraction(job), 'connection lost, retrying');
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    progress.stop();
  }
}

/** `12.0 MB of 40.0 MB, 3.1 MB/s, 9 s left`. */
export function describeProgress(job: DownloadJobRecord, now = Date.now()): string {
  const { bytes_per_second: speed, estimated_completion: end } = job;
  return [
    `${formatBytes(job.downloaded_bytes)} of ${formatBytes(job.total_size_bytes)}`,
    ...(speed === undefined || speed === 0 ? [] : [`${formatBytes(speed)}/s`]),
    ...(end === undefined ? [] : [`${timeUntil(end, now)} left`]),
  ].join(', ');
}

/** Whole seconds, since an estimate is no more precise. */
function timeUntil(time: string, now: number): string {
  const seconds = Math.max(1, Math.round((Date.parse(time) - now) / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds);
}

/** Between 0 and 1. An empty job is complete. */
export function progressFraction(job: DownloadJobRecord): number {
  return job.total_size_bytes === 0 ? 1 : job.downloaded_bytes / job.total_size_bytes;
}

function isTokenRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_api_key';
}

function isOutage(error: unknown): boolean {
  if (error instanceof ServerUnreachableError) return true;
  return error instanceof ApiError && (error.code === 'shutting_down' || error.status === 500);
}

/** Suggests how to use a model or adapter. */
export function usageHint(name: string, type: ModelType | ModelEntry['type'] | 'adapter'): string {
  switch (type) {
    case 'adapter':
      return `Add \`--adapter ${printable(name)}\` to \`hearth chat\`. See \`hearth ls\` for the models that it fits.`;
    case 'embedding':
    case 'embeddings':
      return `Use ${printable(name)} in embedding requests.`;
    case 'reranker':
      return `Use ${printable(name)} in requests to /v1/rerank.`;
    case 'llm':
    case 'vlm':
      return `Run \`hearth chat ${printable(name)}\` to chat with it.`;
  }
}

/** Suggests how to use a downloaded model. */
export async function describeUsage(
  client: Client,
  { model: key, quantization }: DownloadStartRecord,
  signal: AbortSignal,
): Promise<string> {
  try {
    const model = await client.call(getModel, { params: { model: key } }, signal);
    const isDefault = quantization === null || model.quantization?.name === quantization;
    const name = isDefault ? key : `${key}@${quantization.toLowerCase()}`;
    return usageHint(name, model.type);
  } catch (error) {
    // The download succeeded, but the model is invalid or the token may not list models.
    if (error instanceof ApiError) return 'See `hearth ls`.';
    throw error;
  }
}

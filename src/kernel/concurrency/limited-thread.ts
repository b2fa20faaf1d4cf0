import { Worker } from 'node:worker_threads';
import { withTimeout } from './with-timeout.ts';

export interface ThreadLimits {
  readonly timeoutMs: number;
  /** Maximum heap size in MB. */
  readonly memoryMb: number;
}

/** The thread needed more memory than its limit. */
export class ThreadMemoryError extends Error {}

/**
 * Runs a bundled script in a separate thread, for work on untrusted data, and returns the first message that it posts.
 *
 * @param request The script's `workerData`; its bytes are transferred to the thread.
 * @throws ThreadMemoryError, TimeoutError; the error of the script; the signal's reason.
 */
export async function runLimitedThread<Reply>(
  script: string,
  request: { readonly bytes: Uint8Array<ArrayBuffer> },
  { timeoutMs, memoryMb }: ThreadLimits,
  signal: AbortSignal,
): Promise<Reply> {
  const worker = new Worker(script, {
    workerData: request,
    transferList: [request.bytes.buffer],
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  try {
    return await withTimeout(timeoutMs, signal, () => replyOf<Reply>(worker));
  } catch (error) {
    throw isOutOfMemory(error) ? new ThreadMemoryError() : error;
  } finally {
    await worker.terminate();
  }
}

function replyOf<Reply>(worker: Worker): Promise<Reply> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended')));
  });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

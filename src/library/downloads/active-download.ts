import type { StoredDownload } from '../../store/store.ts';
import type { DownloadJob } from './downloads.ts';
import { toJob } from './job-view.ts';
import { SpeedMeter } from './speed-meter.ts';

/** Interval at which the progress of a running job is written to the store. */
const saveIntervalMs = 2000;
/** Interval between two progress events. */
const progressIntervalMs = 500;

interface ActiveDownloadOptions {
  readonly stored: StoredDownload;
  /** Writes the job to the store. */
  readonly save: (stored: StoredDownload) => void;
  readonly onProgress?: (stored: StoredDownload) => void;
}

/** A running job, which downloads or waits to start. */
export class ActiveDownload {
  readonly #save: ActiveDownloadOptions['save'];
  readonly #onProgress: ActiveDownloadOptions['onProgress'];
  readonly #meter = new SpeedMeter();
  readonly #controller = new AbortController();
  #stored: StoredDownload;
  #savedAtMs = performance.now();
  #reportedAtMs = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor({ stored, save, onProgress }: ActiveDownloadOptions) {
    this.#stored = stored;
    this.#save = save;
    this.#onProgress = onProgress;
  }

  get stored(): StoredDownload {
    return this.#stored;
  }

  /** True if `stop` was called. */
  get isStopping(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Starts the work of the job. The work settles when the job has ended or stopped, and never rejects. */
  run(work: (signal: AbortSignal) => Promise<void>): void {
    this.#ended = work(this.#controller.signal);
  }

  /** Settles when the work has ended. */
  ended(): Promise<void> {
    return this.#ended;
  }

  stop(): Promise<void> {
    this.#controller.abort(new Error('the download was stopped'));
    return this.#ended;
  }

  change(fields: Partial<StoredDownload>): StoredDownload {
    this.#stored = { ...this.#stored, ...fields };
    return this.#stored;
  }

  received(downloadedBytes: number): void {
    const nowMs = performance.now();
    this.#meter.add(downloadedBytes, nowMs);
    this.change({ downloadedBytes });
    if (nowMs - this.#reportedAtMs >= progressIntervalMs) {
      this.#reportedAtMs = nowMs;
      this.#onProgress?.(this.#stored);
    }
    if (nowMs - this.#savedAtMs < saveIntervalMs) return;
    this.#savedAtMs = nowMs;
    this.#save(this.#stored);
  }

  /** Average bytes per second of the last seconds; undefined if unknown. */
  get speed(): number | undefined {
    return this.#meter.bytesPerSecond(this.#stored.downloadedBytes, performance.now());
  }

  /** @param assumedSpeed Bytes per second to estimate with while no data arrives. */
  view(assumedSpeed?: number): DownloadJob {
    return toJob(this.#stored, this.speed, assumedSpeed);
  }
}

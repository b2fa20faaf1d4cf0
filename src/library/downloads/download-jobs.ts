import { randomBytes } from 'node:crypto';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type { FileAddress } from '../hub/model-sources.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { DownloadEvent } from '../../kernel/events/server-event.ts';
import { noEvents, type EventPublisher } from '../../kernel/events/server-events.ts';
import type { DownloadRepository, StoredDownload } from '../../store/store.ts';
import { ActiveDownload } from './active-download.ts';
import { allocatedBytes, DiskSpace } from './disk-space.ts';
import { describeFailure, isUnexpected } from './describe-failure.ts';
import { isDiskFull } from '../disk-full.ts';
import type { DownloadJob, DownloadPlan } from './downloads.ts';
import { defaultSpeed, planOf, toJob } from './job-view.ts';
import { countStagedBytes, runDownload } from './run-download.ts';
import type { TransferSettings } from './transfer-file.ts';
import { Semaphore } from '../../kernel/concurrency/semaphore.ts';

export interface DownloadJobsOptions {
  readonly addressOf: (plan: DownloadPlan, path: string) => FileAddress;
  readonly store: DownloadRepository;
  readonly modelsFolder: string;
  readonly logger: Logger;
  readonly events?: EventPublisher;
  /** Maximum number of concurrent transfers (default 2); other jobs wait with the status `downloading` and speed 0. */
  readonly concurrentJobs?: number;
  /** Maximum number of completed jobs in the list (default 1,000). */
  readonly keptCompletedJobs?: number;
  readonly transfer?: Partial<TransferSettings>;
  /** Returns the free bytes on the disk of a folder; defaults to the system's value. */
  readonly readFreeBytes?: (folder: string) => Promise<number>;
}

/** Starts jobs and stores how they end; combines the running jobs with the jobs in the store. */
export class DownloadJobs {
  readonly #options: DownloadJobsOptions;
  readonly #settings: TransferSettings;
  readonly #slots: Semaphore;
  readonly #disk: DiskSpace;
  /** Running jobs, in order of their start. A job stays here if its end could not be stored. */
  readonly #active = new Map<string, ActiveDownload>();
  /** The last measured speed, in bytes per second. */
  #lastSpeed = defaultSpeed;

  constructor(options: DownloadJobsOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.concurrentJobs ?? 2);
    this.#disk = new DiskSpace(options.modelsFolder, options.readFreeBytes);
    this.#settings = {
      retryPolicy: { maxFailures: 6 },
      connectionsPerJob: 4,
      ...options.transfer,
    };
  }

  /** The running jobs, in order of their start. */
  get active(): readonly ActiveDownload[] {
    return [...this.#active.values()];
  }

  findActive(id: string): ActiveDownload | undefined {
    return this.#active.get(id);
  }

  /** Lists all jobs with their current state, newest first. */
  async list(): Promise<readonly StoredDownload[]> {
    const rows = await this.#options.store.list();
    return rows.map((row) => this.#active.get(row.id)?.stored ?? row);
  }

  async find(id: string): Promise<StoredDownload | undefined> {
    return this.#active.get(id)?.stored ?? this.#options.store.find(id);
  }

  view(stored: StoredDownload): DownloadJob {
    const active = this.#active.get(stored.id);
    return active?.view(this.#lastSpeed) ?? toJob(stored, undefined, this.#lastSpeed);
  }

  /** Uses the speed of a job from an earlier run for the first estimates. */
  assumeSpeedOf({ totalBytes, startedAt, completedAt }: StoredDownload): void {
    const seconds = ((completedAt?.getTime() ?? Infinity) - startedAt.getTime()) / 1000;
    // The clock may have been set back during the job.
    this.#lastSpeed = seconds > 0 ? totalBytes / seconds || defaultSpeed : defaultSpeed;
  }

  /** @throws HearthError `insufficient_disk`. */
  async begin(plan: DownloadPlan): Promise<DownloadJob> {
    const totalBytes = plan.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await this.#disk.assertRoom(totalBytes, await this.#promisedTo([...this.#active.values()]));
    const stored: StoredDownload = {
      id: `job_${randomBytes(5).toString('hex')}`,
      plan,
      status: 'downloading',
      isPausedByUser: false,
      totalBytes,
      downloadedBytes: 0,
      startedAt: new Date(),
      completedAt: null,
      failure: null,
    };
    await this.#options.store.insert(stored);
    this.#run(stored);
    return this.view(stored);
  }

  /** Resumes a job, or joins it if it is running. @throws HearthError `insufficient_disk`. */
  async resume(stored: StoredDownload): Promise<DownloadJob> {
    if (stored.status !== 'downloading' || !this.#active.has(stored.id)) {
      await this.#assertRoomFor(stored, [...this.#active.values()]);
      await this.#activate(stored);
    }
    return this.view(stored);
  }

  /** Resumes a job of an earlier server process. More bytes may be on disk than the store records. */
  async continue(stored: StoredDownload): Promise<void> {
    const { modelsFolder } = this.#options;
    const job = { jobId: stored.id, plan: planOf(stored), modelsFolder, settings: this.#settings };
    // If the plan is unsafe, the job fails later with a clear error.
    const downloadedBytes = await countStagedBytes(job).catch(() => stored.downloadedBytes);
    await this.#activate({ ...stored, downloadedBytes });
  }

  async #activate(stored: StoredDownload): Promise<void> {
    const running: StoredDownload = {
      ...stored,
      status: 'downloading',
      isPausedByUser: false,
      failure: null,
    };
    await this.#options.store.update(running);
    this.#run(running);
  }

  #run(stored: StoredDownload): void {
    const active: ActiveDownload = new ActiveDownload({
      stored,
      save: (current) => {
        this.#lastSpeed = active.speed || this.#lastSpeed;
        void this.#save(current);
      },
      onProgress: (current) => this.#publish('download.progress', current),
    });
    // Removes an earlier run of the job first, so that the newest start comes last.
    this.#active.delete(stored.id);
    const earlier = [...this.#active.values()];
    this.#active.set(stored.id, active);
    const { addressOf, modelsFolder, logger } = this.#options;
    const download = (signal: AbortSignal): Promise<void> =>
      runDownload({
        jobId: stored.id,
        plan: planOf(stored),
        addressOf,
        modelsFolder,
        settings: this.#settings,
        signal,
        onReceived: (bytes) => active.received(bytes),
        assertRoom: () => this.#assertRoomFor(active.stored, earlier),
      });
    logger.info({ job: stored.id, model: planOf(stored).model }, 'download started');
    this.#publish('download.started', stored);
    active.run(async (signal) => {
      try {
        await this.#slots.run(() => download(signal), signal);
        await this.#complete(active);
      } catch (error) {
        if (!active.isStopping) await this.#fail(active, error);
      }
    });
  }

  async #complete(active: ActiveDownload): Promise<void> {
    const { id, totalBytes } = active.stored;
    await this.end(active, {
      status: 'completed',
      downloadedBytes: totalBytes,
      completedAt: new Date(),
    });
    this.#options.logger.info({ job: id, totalBytes }, 'download completed');
    await this.#forgetOld().catch((err: unknown) =>
      this.#options.logger.warn({ err }, 'old downloads not deleted'),
    );
  }

  async #fail(active: ActiveDownload, error: unknown): Promise<void> {
    const { logger } = this.#options;
    const failure = describeFailure(await this.#reasonOf(error, active));
    const fields = isUnexpected(error) ? { err: error } : { code: failure.code };
    logger.warn({ job: active.stored.id, ...fields, reason: failure.message }, 'download failed');
    await this.end(active, { status: 'failed', failure });
  }

  /** Records the end of a job. If it can't be stored, the job stays in memory, so that clients see its state. */
  async end(active: ActiveDownload, fields: Partial<StoredDownload>): Promise<void> {
    const stored = active.change(fields);
    if (await this.#save(stored)) this.#active.delete(stored.id);
    const { status } = stored;
    if (status !== 'downloading') this.#publish(`download.${status}`, stored);
  }

  /** Deletes a job from the store; its files stay. */
  async delete(id: string): Promise<void> {
    await this.#options.store.delete(id);
    this.#active.delete(id);
    this.#publish('download.cancelled', { id, downloadedBytes: 0 });
  }

  #publish(
    type: DownloadEvent['type'],
    { id, downloadedBytes }: Pick<StoredDownload, 'id' | 'downloadedBytes'>,
  ): void {
    const { events = noEvents } = this.#options;
    events.publish({ type, jobId: id, downloadedBytes });
  }

  async #save(stored: StoredDownload): Promise<boolean> {
    try {
      await this.#options.store.update(stored);
      return true;
    } catch (err) {
      this.#options.logger.error({ err, job: stored.id }, 'state of a download not stored');
      return false;
    }
  }

  async #forgetOld(): Promise<void> {
    const { store, keptCompletedJobs = 1000 } = this.#options;
    const completed = (await store.list()).filter(({ status }) => status === 'completed');
    for (const { id } of completed.slice(keptCompletedJobs)) await store.delete(id);
  }

  /** For a full disk, an error with the free bytes, if they can be read; otherwise the cause itself. */
  async #reasonOf(cause: unknown, active: ActiveDownload): Promise<unknown> {
    if (!isDiskFull(cause)) return cause;
    try {
      return await this.#diskFull(active);
    } catch {
      return cause;
    }
  }

  async #diskFull(active: ActiveDownload): Promise<HearthError> {
    const others = [...this.#active.values()].filter((other) => other !== active);
    return this.#disk.shortage(
      await this.#neededBytes(active.stored),
      await this.#promisedTo(others),
    );
  }

  async #assertRoomFor(stored: StoredDownload, others: readonly ActiveDownload[]): Promise<void> {
    await this.#disk.assertRoom(await this.#neededBytes(stored), await this.#promisedTo(others));
  }

  /** Bytes that running downloads have yet to allocate on the disk. */
  async #promisedTo(downloads: readonly ActiveDownload[]): Promise<number> {
    let bytes = 0;
    for (const { stored } of downloads) {
      if (stored.status === 'downloading') bytes += await this.#neededBytes(stored);
    }
    return bytes;
  }

  /** Bytes that a download has yet to allocate on the disk. */
  async #neededBytes({ id, totalBytes, downloadedBytes }: StoredDownload): Promise<number> {
    const allocated = await allocatedBytes(this.#options.modelsFolder, id);
    return Math.max(0, totalBytes - Math.max(downloadedBytes, allocated));
  }
}

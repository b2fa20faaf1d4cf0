import { randomBytes } from 'node:crypto';
import { HearthError } from '../contract/errors.ts';
import type { Hub } from '../hub/hub.ts';
import { modelName } from '../models/library-model.ts';
import type { ModelLibrary } from '../models/model.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { Logger } from '../observability/logger.ts';
import type { DownloadRepository, StoredDownload } from '../store/store.ts';
import { ActiveDownload } from './active-download.ts';
import { describeFailure, isUnexpected } from './describe-failure.ts';
import { DiskSpace, isDiskFull } from './disk-space.ts';
import type {
  DownloadJob,
  DownloadManager,
  DownloadPlan,
  DownloadRequest,
  DownloadStart,
} from './downloads.ts';
import { findEarlier, isOutdated, isPresent } from './find-present.ts';
import { completedPlans, identityOf, planOf, toJob } from './job-view.ts';
import { defaultRetryPolicy } from './retry.ts';
import { countStagedBytes, runDownload, type RunSettings } from './run-download.ts';
import { Slots } from './slots.ts';
import { assertSafePlan, markCancelled, removeStaging, sweepStaging } from './staging.ts';

export interface DownloadManagerOptions {
  /** Finds out what a request means. */
  readonly plan: (request: DownloadRequest, signal: AbortSignal) => Promise<DownloadPlan>;
  readonly hub: Hub;
  readonly http: HttpClient;
  readonly store: DownloadRepository;
  readonly modelsFolder: string;
  readonly library: ModelLibrary;
  readonly logger: Logger;
  /** Jobs that transfer at once; further ones wait, as `downloading` at speed 0. 2 unless given. */
  readonly concurrentJobs?: number;
  /** Completed jobs that stay listed; 1,000 unless given. */
  readonly keptCompletedJobs?: number;
  readonly transfer?: Partial<RunSettings>;
  /** Bytes free on the disk of a folder; asks the system unless given. */
  readonly readFreeBytes?: (folder: string) => Promise<number>;
}

export interface ContinuableDownloadManager extends DownloadManager {
  /**
   * Goes on with what was under way when the server ended, however it ended, and removes what is left of
   * cancelled jobs. What a caller paused stays paused. To be called once, at start.
   */
  continueInterrupted(): Promise<void>;
}

/** Jobs that may be unfinished at once. */
const maximumUnfinishedJobs = 1000;

export function createDownloadManager(options: DownloadManagerOptions): ContinuableDownloadManager {
  return new Manager(options);
}

class Manager implements ContinuableDownloadManager {
  readonly #options: DownloadManagerOptions;
  readonly #settings: RunSettings;
  readonly #slots: Slots;
  readonly #disk: DiskSpace;
  /** In the order in which they began; also a job whose end could not be stored. */
  readonly #active = new Map<string, ActiveDownload>();
  #lastChange: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: DownloadManagerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrentJobs ?? 2);
    this.#disk = new DiskSpace(options.modelsFolder, options.readFreeBytes);
    this.#settings = {
      retryPolicy: defaultRetryPolicy,
      connectionsPerJob: 4,
      stallTimeoutMs: 30_000,
      ...options.transfer,
    };
  }

  async start(request: DownloadRequest, signal: AbortSignal): Promise<DownloadStart> {
    const plan = await this.#plan(request, signal);
    assertSafePlan(plan);
    return this.#exclusively(async () => {
      const identity = identityOf(plan);
      for (const active of this.#active.values()) {
        const isEnding = active.stored.status !== 'downloading';
        if (isEnding && identityOf(planOf(active.stored)) === identity) await active.ended();
      }
      const jobs = await this.#stored();
      const unfinished = jobs.find(
        (job) => job.status !== 'completed' && identityOf(planOf(job)) === identity,
      );
      if (unfinished !== undefined) return { kind: 'job', job: await this.#resume(unfinished) };
      const { modelsFolder, library } = this.#options;
      if (
        !isOutdated(plan, completedPlans(jobs)) &&
        (await isPresent(plan, modelsFolder, library))
      ) {
        return { kind: 'already_downloaded', plan };
      }
      // Whoever went away by now would not know of the job.
      signal.throwIfAborted();
      if (jobs.filter(({ status }) => status !== 'completed').length >= maximumUnfinishedJobs) {
        throw new HearthError(
          'queue_full',
          `${maximumUnfinishedJobs} downloads are unfinished. Cancel some, or let them finish.`,
          { retryAfterSeconds: 60 },
        );
      }
      return { kind: 'job', job: await this.#begin(plan) };
    });
  }

  async list(): Promise<readonly DownloadJob[]> {
    return (await this.#stored()).map((stored) => this.#view(stored));
  }

  async find(id: string): Promise<DownloadJob> {
    return this.#view(await this.#require(id));
  }

  pause(id: string): Promise<DownloadJob> {
    return this.#exclusively(async () => {
      await this.#require(id);
      const active = this.#active.get(id);
      await active?.stop();
      const stored = await this.#require(id);
      if (active === undefined || stored.status !== 'downloading') {
        throw conflict(stored, 'is not downloading', 'Only a download that runs can be paused');
      }
      await this.#end(active, { status: 'paused', isPausedByUser: true });
      return toJob(active.stored, undefined);
    });
  }

  resume(id: string): Promise<DownloadJob> {
    return this.#exclusively(async () => {
      const stored = await this.#require(id);
      if (stored.status === 'paused') return this.#resume(stored);
      throw conflict(
        stored,
        'is not paused',
        'Ask for the same download again to go on with a failed one',
      );
    });
  }

  cancel(id: string): Promise<void> {
    return this.#exclusively(async () => {
      await this.#require(id);
      const active = this.#active.get(id);
      await active?.stop();
      const stored = await this.#require(id);
      if (stored.status === 'completed') {
        throw conflict(stored, 'is complete', 'Delete the model to remove its files');
      }
      // In this order: what is marked is removed at the next start, jobs without a folder start anew.
      await markCancelled(this.#options.modelsFolder, id);
      await this.#options.store.delete(id);
      this.#active.delete(id);
      await removeStaging(this.#options.modelsFolder, id);
      this.#options.logger.info({ job: id }, 'download cancelled');
    });
  }

  async isUnderWay(modelKey: string): Promise<boolean> {
    const jobs = await this.#stored();
    return jobs.some((job) => {
      if (job.status !== 'downloading' && job.status !== 'paused') return false;
      const { owner, name } = planOf(job);
      return [name, modelName(name)].some((one) => `${owner}/${one}`.toLowerCase() === modelKey);
    });
  }

  continueInterrupted(): Promise<void> {
    return this.#exclusively(async () => {
      const { store, modelsFolder, logger } = this.#options;
      const unfinished = (await store.list()).filter(({ status }) => status !== 'completed');
      const others = await sweepStaging(modelsFolder, new Set(unfinished.map(({ id }) => id)));
      if (others.length > 0) {
        logger.info({ folders: others }, 'downloads of another home, or of one that is gone');
      }
      for (const job of unfinished.toReversed()) {
        const wasUnderWay = job.status === 'paused' && !job.isPausedByUser;
        if (job.status !== 'downloading' && !wasUnderWay) continue;
        await this.#activate({ ...job, downloadedBytes: await this.#countBytes(job) });
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lastChange;
    const running = [...this.#active.values()];
    await Promise.all(running.map((active) => active.stop()));
    for (const active of running) {
      if (active.stored.status === 'downloading') {
        await this.#end(active, { status: 'paused', isPausedByUser: false });
      }
    }
  }

  /** Changes of what runs happen one after the other. */
  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(() => {
      if (!this.#isClosed) return work();
      throw new HearthError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 5 });
    });
    this.#lastChange = result.catch(() => undefined);
    return result;
  }

  /** What a request means; where the hub can't say, what it meant before, if that is still there. */
  async #plan(request: DownloadRequest, signal: AbortSignal): Promise<DownloadPlan> {
    const { plan, modelsFolder, library } = this.#options;
    try {
      return await plan(request, signal);
    } catch (error) {
      const isOffline = error instanceof HearthError && error.code === 'hub_unreachable';
      const known = isOffline
        ? findEarlier(request, completedPlans(await this.#stored()))
        : undefined;
      if (known === undefined || !(await isPresent(known, modelsFolder, library))) throw error;
      return known;
    }
  }

  /** The store is behind what a server that was killed had written. */
  async #countBytes(job: StoredDownload): Promise<number> {
    const { modelsFolder } = this.#options;
    const counting = countStagedBytes({
      jobId: job.id,
      plan: planOf(job),
      modelsFolder,
      settings: this.#settings,
    });
    // A plan that is refused fails when it runs.
    return counting.catch(() => job.downloadedBytes);
  }

  async #stored(): Promise<readonly StoredDownload[]> {
    const rows = await this.#options.store.list();
    return rows.map((row) => this.#active.get(row.id)?.stored ?? row);
  }

  async #require(id: string): Promise<StoredDownload> {
    const stored = this.#active.get(id)?.stored ?? (await this.#options.store.find(id));
    if (stored !== undefined) return stored;
    throw new HearthError(
      'job_not_found',
      `No download has the id ${JSON.stringify(id)}; \`hearth download ls\` shows those there are.`,
    );
  }

  #view(stored: StoredDownload): DownloadJob {
    return this.#active.get(stored.id)?.view() ?? toJob(stored, undefined);
  }

  async #begin(plan: DownloadPlan): Promise<DownloadJob> {
    const totalBytes = plan.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await this.#disk.assertRoom(totalBytes, promisedTo(this.#active.values()));
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
    return this.#view(stored);
  }

  /** Goes on with a job that stands still; joins one that does not. */
  async #resume(stored: StoredDownload): Promise<DownloadJob> {
    if (stored.status !== 'downloading' || !this.#active.has(stored.id)) {
      const remainingBytes = stored.totalBytes - stored.downloadedBytes;
      await this.#disk.assertRoom(remainingBytes, promisedTo(this.#active.values()));
      await this.#activate(stored);
    }
    return this.#view(stored);
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
    const active = new ActiveDownload({
      stored,
      save: (current) => void this.#save(current),
    });
    // Also where an earlier run of it is still listed: the newest is the last.
    this.#active.delete(stored.id);
    const earlier = [...this.#active.values()];
    this.#active.set(stored.id, active);
    const { hub, http, modelsFolder, logger } = this.#options;
    const download = (signal: AbortSignal): Promise<void> =>
      runDownload({
        jobId: stored.id,
        plan: planOf(stored),
        hub,
        http,
        modelsFolder,
        settings: this.#settings,
        signal,
        onReceived: (bytes) => active.received(bytes),
        assertRoom: () => this.#disk.assertRoom(active.remainingBytes, promisedTo(earlier)),
      });
    logger.info({ job: stored.id, model: planOf(stored).model }, 'download started');
    active.run(async (signal) => {
      try {
        await this.#slots.use(() => download(signal), signal);
        await this.#complete(active);
      } catch (error) {
        if (!active.isStopping) await this.#fail(active, error);
      }
    });
  }

  async #complete(active: ActiveDownload): Promise<void> {
    const { id, totalBytes } = active.stored;
    await this.#end(active, {
      status: 'completed',
      downloadedBytes: totalBytes,
      completedAt: new Date(),
    });
    this.#options.logger.info({ job: id, totalBytes }, 'download completed');
    await this.#forgetOld().catch((err: unknown) =>
      this.#options.logger.warn({ err }, 'old downloads not forgotten'),
    );
  }

  async #fail(active: ActiveDownload, error: unknown): Promise<void> {
    const { logger } = this.#options;
    const failure = describeFailure(isDiskFull(error) ? await this.#diskFull(active) : error);
    const fields = isUnexpected(error) ? { err: error } : { code: failure.code };
    logger.warn({ job: active.stored.id, ...fields, reason: failure.message }, 'download failed');
    await this.#end(active, { status: 'failed', failure });
  }

  /** A job whose end can't be stored stays in memory, so that it is shown as it is. */
  async #end(active: ActiveDownload, fields: Partial<StoredDownload>): Promise<void> {
    const stored = active.change(fields);
    if (await this.#save(stored)) this.#active.delete(stored.id);
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

  async #diskFull(active: ActiveDownload): Promise<HearthError> {
    const others = [...this.#active.values()].filter((other) => other !== active);
    return this.#disk.shortage(active.remainingBytes, promisedTo(others));
  }
}

/** Bytes that downloads which run have yet to write. */
function promisedTo(downloads: Iterable<ActiveDownload>): number {
  let bytes = 0;
  for (const { stored, remainingBytes } of downloads) {
    if (stored.status === 'downloading') bytes += remainingBytes;
  }
  return bytes;
}

function conflict({ id, status }: StoredDownload, reason: string, advice: string): HearthError {
  return new HearthError('conflict', `The download ${id} ${reason}: it is ${status}. ${advice}.`);
}

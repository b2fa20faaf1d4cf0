import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { assertInScope, type ModelScope } from '../../kernel/model-scope.ts';
import { modelName } from '../library-model.ts';
import { futureKeyOf } from './model-keys.ts';
import type { ModelLibrary } from '../model.ts';
import type { StoredDownload } from '../../store/store.ts';
import { DownloadJobs, type DownloadJobsOptions } from './download-jobs.ts';
import type {
  DownloadJob,
  DownloadManager,
  DownloadPlan,
  DownloadRequest,
  DownloadStart,
} from './downloads.ts';
import { findEarlier, isOutdated, isPresent } from './find-present.ts';
import { completedPlans, identityOf, planOf, toJob } from './job-view.ts';
import { assertSafePlan, markCancelled, removeStaging, sweepStaging } from './staging.ts';

export interface DownloadManagerOptions extends DownloadJobsOptions {
  /** Resolves a request to a plan. */
  readonly plan: (request: DownloadRequest, signal: AbortSignal) => Promise<DownloadPlan>;
  readonly library: ModelLibrary;
}

export interface ContinuableDownloadManager extends DownloadManager {
  /**
   * Resumes the downloads that ran when the server stopped or crashed, and removes the files of canceled jobs. Paused
   * jobs stay paused. Call once, at startup.
   */
  continueInterrupted(): Promise<void>;
}

/** Maximum number of unfinished jobs. */
const maxUnfinishedJobs = 1000;

export function createDownloadManager(options: DownloadManagerOptions): ContinuableDownloadManager {
  return new Manager(options);
}

/** Client operations on jobs, one at a time. */
class Manager implements ContinuableDownloadManager {
  readonly #options: DownloadManagerOptions;
  readonly #jobs: DownloadJobs;
  readonly #changes = new Mutex();
  #isClosed = false;

  constructor(options: DownloadManagerOptions) {
    this.#options = options;
    this.#jobs = new DownloadJobs(options);
  }

  async start(
    request: DownloadRequest,
    signal: AbortSignal,
    scope: ModelScope = null,
  ): Promise<DownloadStart> {
    const plan = await this.#plan(request, signal);
    assertInScope(scope, futureKeyOf(plan));
    assertSafePlan(plan);
    return this.#exclusively(async () => {
      const identity = identityOf(plan);
      for (const active of this.#jobs.active) {
        const isEnding = active.stored.status !== 'downloading';
        if (isEnding && identityOf(planOf(active.stored)) === identity) await active.ended();
      }
      const jobs = await this.#jobs.list();
      const unfinished = jobs.find(
        (job) => job.status !== 'completed' && identityOf(planOf(job)) === identity,
      );
      if (unfinished !== undefined) {
        return { kind: 'job', job: await this.#jobs.resume(unfinished) };
      }
      const isNew = isOutdated(plan, completedPlans(jobs)) || !(await this.#isPresent(plan));
      if (!isNew) return { kind: 'already_downloaded', plan };
      // If the client has disconnected, it would never see the job.
      signal.throwIfAborted();
      if (jobs.filter(({ status }) => status !== 'completed').length >= maxUnfinishedJobs) {
        throw new HearthError(
          'queue_full',
          `${maxUnfinishedJobs} downloads are unfinished. Cancel some, or let them finish.`,
          { retryAfterSeconds: 60 },
        );
      }
      return { kind: 'job', job: await this.#jobs.begin(plan) };
    });
  }

  async list(): Promise<readonly DownloadJob[]> {
    return (await this.#jobs.list()).map((stored) => this.#jobs.view(stored));
  }

  async find(id: string): Promise<DownloadJob> {
    return this.#jobs.view(await this.#require(id));
  }

  pause(id: string): Promise<DownloadJob> {
    return this.#exclusively(async () => {
      await this.#require(id);
      const active = this.#jobs.findActive(id);
      await active?.stop();
      const stored = await this.#require(id);
      if (active === undefined || stored.status !== 'downloading') {
        throw conflict(stored, 'is not downloading', 'Only a running download can be paused');
      }
      await this.#jobs.end(active, { status: 'paused', isPausedByUser: true });
      return toJob(active.stored, undefined);
    });
  }

  resume(id: string): Promise<DownloadJob> {
    return this.#exclusively(async () => {
      const stored = await this.#require(id);
      if (stored.status === 'paused') return this.#jobs.resume(stored);
      throw conflict(stored, 'is not paused', 'To resume a failed download, request it again');
    });
  }

  cancel(id: string): Promise<void> {
    return this.#exclusively(async () => {
      await this.#require(id);
      const active = this.#jobs.findActive(id);
      await active?.stop();
      const stored = await this.#require(id);
      if (stored.status === 'completed') {
        throw conflict(stored, "can't be cancelled", 'Delete the model to remove its files');
      }
      // Mark the folder first: the next start removes marked folders. A job without a folder would start over.
      await markCancelled(this.#options.modelsFolder, id);
      await this.#jobs.delete(id);
      await removeStaging(this.#options.modelsFolder, id);
      this.#options.logger.info({ job: id }, 'download cancelled');
    });
  }

  async isUnderWay(modelKey: string): Promise<boolean> {
    const jobs = await this.#jobs.list();
    return jobs.some((job) => {
      if (job.status !== 'downloading' && job.status !== 'paused') return false;
      const { owner, name } = planOf(job);
      return [name, modelName(name)].some((one) => `${owner}/${one}`.toLowerCase() === modelKey);
    });
  }

  continueInterrupted(): Promise<void> {
    return this.#exclusively(async () => {
      const { store, modelsFolder, logger } = this.#options;
      const jobs = await store.list();
      const latest = jobs.find(({ status }) => status === 'completed');
      if (latest !== undefined) this.#jobs.assumeSpeedOf(latest);
      const unfinished = jobs.filter(({ status }) => status !== 'completed');
      const others = await sweepStaging(modelsFolder, new Set(unfinished.map(({ id }) => id)));
      if (others.length > 0) {
        logger.info(
          { folders: others },
          'staging folders without a job, of another home folder or a deleted one',
        );
      }
      for (const job of unfinished.toReversed()) {
        const wasUnderWay = job.status === 'paused' && !job.isPausedByUser;
        if (job.status !== 'downloading' && !wasUnderWay) continue;
        await this.#jobs.continue(job);
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Waits for the change in progress; later changes are rejected.
    await this.#changes.run(async () => {});
    const running = this.#jobs.active;
    await Promise.all(running.map((active) => active.stop()));
    for (const active of running) {
      if (active.stored.status === 'downloading') {
        await this.#jobs.end(active, { status: 'paused', isPausedByUser: false });
      }
    }
  }

  /** Serializes changes to the running jobs. */
  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#changes.run(() => {
      if (!this.#isClosed) return work();
      throw new HearthError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 5 });
    });
  }

  /**
   * Resolves a request to a plan. If the hub can't be reached, uses the plan of an earlier download whose files still
   * exist.
   */
  async #plan(request: DownloadRequest, signal: AbortSignal): Promise<DownloadPlan> {
    try {
      return await this.#options.plan(request, signal);
    } catch (error) {
      if (!(error instanceof HearthError) || error.code !== 'hub_unreachable') throw error;
      const known = findEarlier(request, completedPlans(await this.#jobs.list()));
      if (known === undefined || !(await this.#isPresent(known))) throw error;
      return known;
    }
  }

  #isPresent(plan: DownloadPlan): Promise<boolean> {
    const { modelsFolder, library } = this.#options;
    return isPresent(plan, modelsFolder, library);
  }

  async #require(id: string): Promise<StoredDownload> {
    const stored = await this.#jobs.find(id);
    if (stored !== undefined) return stored;
    throw new HearthError(
      'job_not_found',
      `No download has the id ${JSON.stringify(id)}; \`hearth download ls\` lists the existing ones.`,
      { param: 'job_id' },
    );
  }
}

function conflict({ id, status }: StoredDownload, reason: string, advice: string): HearthError {
  return new HearthError('conflict', `The download ${id} ${reason}: it is ${status}. ${advice}.`);
}

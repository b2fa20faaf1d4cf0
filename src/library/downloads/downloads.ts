import type { ModelScope } from '../../kernel/model-scope.ts';
import type { FileChecksum } from '../hub/hub.ts';
import type { OtherSource } from '../hub/model-sources.ts';

/** Status of a download job. */

export type DownloadStatus = 'downloading' | 'paused' | 'completed' | 'failed';

/** One file of a job. */
export interface DownloadFile {
  /** Path in the repository on the hub. */
  readonly path: string;
  /** Path in the model's folder of the library; at most one folder deep. */
  readonly target: string;
  readonly sizeBytes: number;
  readonly checksum: FileChecksum;
}

/** The files of a job; immutable. */
export interface DownloadPlan {
  /** The model as the request names it. */
  readonly model: string;
  /** Absent for the model hub. */
  readonly registry?: OtherSource;
  readonly owner: string;
  readonly name: string;
  readonly commit: string;
  /** Label of the chosen quantization, such as `Q4_K_M`; null if there is only one. */
  readonly quantization: string | null;
  /** Names other models of the repository that match the request. */
  readonly note?: string;
  /** Such as `apache-2.0`; absent if the source does not name one. */
  readonly license?: string;
  /** Includes all parts of a split model and the projector. */
  readonly files: readonly DownloadFile[];
}

export interface DownloadFailure {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

/** A snapshot of a job. */
export interface DownloadJob {
  /** `job_` and 10 lower-case hex digits. */
  readonly id: string;
  readonly plan: DownloadPlan;
  readonly status: DownloadStatus;
  readonly totalBytes: number;
  readonly downloadedBytes: number;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  /** Set only if the status is `failed`. */
  readonly failure: DownloadFailure | null;
  /** Average of the last seconds; undefined unless the job is downloading. */
  readonly bytesPerSecond: number | undefined;
  /** Undefined unless the job is downloading and its speed is known. */
  readonly estimatedCompletionAt: Date | undefined;
}

export interface DownloadRequest {
  /**
   * Identifier of the catalog, `owner/name` on the hub, the URL of a repository or file on the hub or ModelScope,
   * `modelscope:owner/name`, or a name in a registry such as `ollama:model:tag`.
   */
  readonly model: string;
  /** Allowed only with a URL. */
  readonly quantization?: string;
}

export type DownloadStart =
  | { readonly kind: 'job'; readonly job: DownloadJob }
  | { readonly kind: 'already_downloaded'; readonly plan: DownloadPlan };

export interface DownloadManager {
  /**
   * Starts a download, joins a running one, or resumes one that is paused or has failed.
   *
   * @throws HearthError `model_not_found`, `gated_repository`, `hub_unreachable`; `invalid_value` for a quantization
   * that does not exist (the message lists the existing ones) and for a repository without a model that Hearth can run;
   * `insufficient_disk` with the needed and the free bytes; `forbidden` for a model outside the scope.
   */
  start(request: DownloadRequest, signal: AbortSignal, scope?: ModelScope): Promise<DownloadStart>;
  /** Newest first. */
  list(): Promise<readonly DownloadJob[]>;
  /** @throws HearthError `job_not_found`. */
  find(id: string): Promise<DownloadJob>;
  /** @throws HearthError `job_not_found`; `conflict` if the job is not downloading. */
  pause(id: string): Promise<DownloadJob>;
  /** @throws HearthError `job_not_found`; `conflict` if the job is not paused; `insufficient_disk`. */
  resume(id: string): Promise<DownloadJob>;
  /** Cancels a job and removes its files. @throws HearthError `job_not_found`; `conflict` if the job is completed. */
  cancel(id: string): Promise<void>;
  /** True if a job for this model (`owner/name` in lower case) is downloading or paused. */
  isUnderWay(modelKey: string): Promise<boolean>;
  /** Pauses all running jobs until the next start. */
  close(): Promise<void>;
}

import type { FileChecksum } from '../hub/hub.ts';

/** Downloads of models as jobs: what they are and what can be done with them. */

export type DownloadStatus = 'downloading' | 'paused' | 'completed' | 'failed';

/** One file of a job. */
export interface DownloadFile {
  /** Within the repository on the hub. */
  readonly path: string;
  /** Within the model's folder in the library; at most one folder deep. */
  readonly target: string;
  readonly sizeBytes: number;
  readonly checksum: FileChecksum;
}

/** What a job is about; it never changes. */
export interface DownloadPlan {
  /** As the request named the model. */
  readonly model: string;
  readonly owner: string;
  readonly name: string;
  readonly commit: string;
  /** Label of what was chosen, such as `Q4_K_M`; null where there was nothing to choose. */
  readonly quantization: string | null;
  /** What else the request could have meant, where several models share the repository. */
  readonly note?: string;
  /** Parts of a split and the projector included. */
  readonly files: readonly DownloadFile[];
}

export interface DownloadFailure {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

/** A job at one moment. */
export interface DownloadJob {
  /** `job_` and 10 lower-case hex digits. */
  readonly id: string;
  readonly plan: DownloadPlan;
  readonly status: DownloadStatus;
  readonly totalBytes: number;
  readonly downloadedBytes: number;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  /** Why it failed; null in every other status. */
  readonly failure: DownloadFailure | null;
  /** Over the last seconds; only while it downloads. */
  readonly bytesPerSecond: number | undefined;
  /** Only while it downloads; by the last known speed where no bytes come. */
  readonly estimatedCompletionAt: Date | undefined;
}

export interface DownloadRequest {
  /** Identifier of the catalog, `owner/name` on the hub, or the URL of a repository or file on the hub. */
  readonly model: string;
  /** Only with a URL. */
  readonly quantization?: string;
}

export type DownloadStart =
  | { readonly kind: 'job'; readonly job: DownloadJob }
  | { readonly kind: 'already_downloaded'; readonly plan: DownloadPlan };

export interface DownloadManager {
  /**
   * Starts a download, joins the one that runs, or resumes one that was paused or has failed.
   *
   * @throws HearthError `model_not_found`, `gated_repository`, `hub_unreachable`; `invalid_value` for a
   *   quantization that is not there (the message lists those that are) and for a repository that holds no
   *   model Hearth can run; `insufficient_disk` with both numbers.
   */
  start(request: DownloadRequest, signal: AbortSignal): Promise<DownloadStart>;
  /** Newest first. */
  list(): Promise<readonly DownloadJob[]>;
  /** @throws HearthError `job_not_found`. */
  find(id: string): Promise<DownloadJob>;
  /** @throws HearthError `job_not_found`; `conflict` where it does not download. */
  pause(id: string): Promise<DownloadJob>;
  /** @throws HearthError `job_not_found`; `conflict` where it is not paused; `insufficient_disk`. */
  resume(id: string): Promise<DownloadJob>;
  /** Ends a job and removes what it has on disk. @throws HearthError `job_not_found`; `conflict` where it is completed. */
  cancel(id: string): Promise<void>;
  /** Whether a job for this model (key in lower case, `owner/name`) downloads or is paused. */
  isUnderWay(modelKey: string): Promise<boolean>;
  /** Pauses everything, to be continued at the next start. */
  close(): Promise<void>;
}

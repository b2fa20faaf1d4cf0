import type { RequestEvent } from '../request/request-record.ts';

interface InstanceSubject {
  readonly instanceId: string;
  /** Key of the instance's model. */
  readonly model: string;
}

/** The reason why an idle instance is unloaded. */
export type EvictionCause = 'idle' | 'memory' | 'replaced';

export type InstanceEvent = InstanceSubject &
  (
    | { readonly type: 'instance.queued' | 'instance.loading'; readonly estimatedBytes: number }
    | { readonly type: 'instance.progress'; readonly fraction: number }
    | { readonly type: 'instance.ready'; readonly loadTimeSeconds: number }
    | {
        readonly type: 'instance.failed';
        readonly error: { readonly code: string; readonly message: string };
      }
    | { readonly type: 'instance.evicted'; readonly cause: EvictionCause; readonly reason: string }
    | { readonly type: 'instance.unloaded'; readonly reason: string }
    | {
        readonly type: 'instance.crashed';
        readonly cause: 'crash' | 'memory_guard';
        readonly reason: string;
      }
  );

/** A change of a download job; the download manager has its details. */
export interface DownloadEvent {
  readonly type:
    | 'download.started'
    | 'download.progress'
    | 'download.paused'
    | 'download.completed'
    | 'download.failed'
    | 'download.cancelled';
  readonly jobId: string;
  readonly downloadedBytes: number;
}

export interface ModelEvent {
  readonly type: 'model.deleted';
  readonly model: string;
  readonly freedBytes: number;
}

/** Events of the server for metrics, traces, the request log and event streams. */
export type ServerEvent = InstanceEvent | DownloadEvent | ModelEvent | RequestEvent;

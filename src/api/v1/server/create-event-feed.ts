import type { DownloadManager } from '../../../library/downloads/downloads.ts';
import { modelKeysOf } from '../../../library/downloads/model-keys.ts';
import type { ModelLibrary } from '../../../library/model.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { RequestLog } from '../../../telemetry/request-log.ts';
import type { RequestRecord } from '../../../kernel/request/request-record.ts';
import type {
  DownloadEvent,
  InstanceEvent,
  ServerEvent,
} from '../../../kernel/events/server-event.ts';
import type { ServerEvents } from '../../../kernel/events/server-events.ts';
import { EventFeed, type FeedEvent } from '../../kit/stream/event-feed.ts';
import { toDownloadJob } from '../downloads/downloads.ts';
import { toRequestSummary } from './requests.ts';

interface FeedSources {
  readonly events: ServerEvents;
  readonly requestLog: RequestLog;
  readonly downloads: Pick<DownloadManager, 'find'>;
  readonly library: Pick<ModelLibrary, 'list'>;
  readonly logger: Logger;
}

/** Interval at which the progress of requests is published, while a client follows it. */
const requestProgressMs = 500;

/** Creates the feed of server events, in the API's format. */
export function createEventFeed(sources: FeedSources): EventFeed {
  const feed = new EventFeed({
    onFirstReader: () => {
      sources.events.subscribe(add);
      if (sources.requestLog.running.size > 0) progress.start();
    },
  });
  const percents = new Map<string, number>();
  const progress = createRequestProgress(feed, sources.requestLog);
  let downloadsAdded = Promise.resolve();
  const add = (event: ServerEvent): void => {
    if (isDownloadEvent(event)) {
      // Awaits the previous event, so that the order stays.
      downloadsAdded = downloadsAdded
        .then(() => addDownload(feed, sources, event))
        .catch((err: unknown) => sources.logger.warn({ err }, 'event of a download lost'));
    } else if (isInstanceEvent(event)) addInstance(feed, event, percents);
    else if (event.type === 'model.deleted') {
      const { type, model, freedBytes } = event;
      feed.add('models', { type, model, freed_bytes: freedBytes });
    } else if (event.type === 'request.started' || event.type === 'request.finished') {
      const { type, record } = event;
      const isQuiet = record.isPoll && (type === 'request.started' || record.state === 'completed');
      if (isQuiet) return;
      feed.add('requests', { type, request: toRequestSummary(record) });
      if (type === 'request.started') progress.start();
    }
  };
  return feed;
}

function isDownloadEvent(event: ServerEvent): event is DownloadEvent {
  return event.type.startsWith('download.');
}

function isInstanceEvent(event: ServerEvent): event is InstanceEvent {
  return event.type.startsWith('instance.');
}

async function addDownload(
  feed: EventFeed,
  { downloads, library }: FeedSources,
  { type, jobId }: DownloadEvent,
): Promise<void> {
  if (type === 'download.cancelled') {
    feed.add('downloads', { type, job_id: jobId });
    return;
  }
  if (type === 'download.progress' && !feed.hasReaders('downloads')) return;
  const job = await downloads.find(jobId);
  const keyOf = await modelKeysOf(library, [job]);
  feed.add('downloads', { type, job: toDownloadJob(job, keyOf(job.plan)) });
}

function addInstance(feed: EventFeed, event: InstanceEvent, percents: Map<string, number>): void {
  const { instanceId } = event;
  if (event.type === 'instance.progress') {
    const percent = Math.floor(event.fraction * 100);
    if (percents.get(instanceId) === percent) return;
    percents.set(instanceId, percent);
  } else percents.delete(instanceId);
  feed.add('models', toInstanceEvent(event));
}

function toInstanceEvent(event: InstanceEvent): FeedEvent {
  const { instanceId, model } = event;
  const subject = { instance_id: instanceId, model };
  switch (event.type) {
    case 'instance.queued':
    case 'instance.loading':
      return { type: event.type, ...subject, estimated_bytes: event.estimatedBytes };
    case 'instance.progress':
      return { type: event.type, ...subject, progress: event.fraction };
    case 'instance.ready':
      return { type: event.type, ...subject, load_time_seconds: event.loadTimeSeconds };
    case 'instance.failed':
      return { type: event.type, ...subject, error: event.error };
    case 'instance.evicted':
      return { type: event.type, ...subject, cause: event.cause, reason: event.reason };
    case 'instance.unloaded':
    case 'instance.crashed':
      return { type: event.type, ...subject, reason: event.reason };
  }
}

/** Publishes the progress of running requests while a client follows it. Without running requests, no timer runs. */
function createRequestProgress(feed: EventFeed, { running }: RequestLog) {
  const seen = new WeakMap<RequestRecord, string>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (running.size === 0 || feed.isClosed) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    if (!feed.hasReaders('requests')) return;
    for (const record of running) {
      const { id, activity, generations } = record;
      const tokens = generations.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
      const state = `${activity} ${tokens}`;
      if (activity === undefined || seen.get(record) === state) continue;
      seen.set(record, state);
      feed.add('requests', {
        type: 'request.progress',
        id,
        phase: activity,
        completion_tokens: tokens,
      });
    }
  };
  return {
    start: () => {
      timer ??= setInterval(look, requestProgressMs).unref();
    },
  };
}

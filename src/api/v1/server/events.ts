import { HearthError } from '../../../kernel/errors/errors.ts';
import { streamEvents, type EventTopic } from './server-event-schema.ts';
import { modelKeysOf } from '../../../library/downloads/model-keys.ts';
import { isInScope } from '../../../kernel/model-scope.ts';
import type { Caller, RequestContext } from '../../../kernel/request/request-context.ts';
import { formatEvent, type EventFeed, type FeedEvent } from '../../kit/stream/event-feed.ts';
import { mount, type App } from '../../kit/mount.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import type { ApiServices } from '../../services.ts';
import { toDownloadJob } from '../downloads/downloads.ts';
import { toRequestSummary } from './requests.ts';
import { toInstanceStatus } from './status.ts';

export function mountEvents(app: App, services: ApiServices): void {
  mount(app, streamEvents, async ({ query, headers, context }) => {
    const topics = topicsFor(query.topics, context.caller);
    const after = headers['last-event-id'] ?? '';
    return eventStream(follow(services, topics, after, context), context);
  });
}

/** @throws HearthError `forbidden` for a topic that the caller may not follow. */
function topicsFor(
  requested: readonly EventTopic[] | undefined,
  { hasPermission }: Caller,
): ReadonlySet<EventTopic> {
  if (hasPermission('admin')) return new Set(requested ?? ['models', 'downloads', 'requests']);
  if (requested?.includes('requests') !== true)
    return new Set(requested ?? ['models', 'downloads']);
  throw new HearthError(
    'forbidden',
    'The topic "requests" needs a token with the permission "admin".',
  );
}

/**
 * The events after the event with an id, or a snapshot and then all later events. Ends when the signal aborts or the
 * server stops.
 */
async function* follow(
  services: ApiServices,
  topics: ReadonlySet<EventTopic>,
  after: string,
  { caller, signal }: RequestContext,
): AsyncGenerator<SseMessage> {
  const { feed } = services;
  const reader = feed.open(topics);
  let position = feed.positionOf(after, topics);
  try {
    while (!signal.aborted && !feed.isClosed) {
      const entries = position === undefined ? undefined : feed.since(position, topics);
      const missed = reader.takeUnread();
      const latest: number = feed.sequence;
      if (entries === undefined) {
        if (position !== undefined) yield dropped(feed, latest, missed);
        yield await snapshot(services, topics, latest, caller);
      } else if (entries.length === 0) await reader.next(signal);
      else
        for (const { sequence, type, model, data } of entries) {
          if (model !== undefined && !isInScope(caller.modelScope, model)) continue;
          yield { event: type, id: feed.idOf(sequence), data };
        }
      position = latest;
    }
  } finally {
    reader.close();
  }
}

/** Tells a client that reads too slowly that events were dropped; a new snapshot follows. */
function dropped(feed: EventFeed, sequence: number, count: number): SseMessage {
  return toMessage(feed, sequence, { type: 'events.dropped', count });
}

async function snapshot(
  { feed, pool, downloads, libraryFor, requestLog }: ApiServices,
  topics: ReadonlySet<EventTopic>,
  sequence: number,
  caller: Caller,
): Promise<SseMessage> {
  const event: Extract<FeedEvent, { readonly type: 'events.snapshot' }> = {
    type: 'events.snapshot',
  };
  const isVisible = ({ model }: { readonly model: string }) => isInScope(caller.modelScope, model);
  if (topics.has('models')) {
    event.instances = (await pool.describe()).map(toInstanceStatus).filter(isVisible);
  }
  if (topics.has('downloads')) {
    const jobs = (await downloads.list()).filter(({ status }) => status !== 'completed');
    const keyOf = await modelKeysOf(libraryFor(caller), jobs);
    event.downloads = jobs.map((job) => toDownloadJob(job, keyOf(job.plan))).filter(isVisible);
  }
  if (topics.has('requests')) event.requests = [...requestLog.running].map(toRequestSummary);
  return toMessage(feed, sequence, event);
}

function toMessage(feed: EventFeed, sequence: number, event: FeedEvent): SseMessage {
  return { event: event.type, id: feed.idOf(sequence), data: formatEvent(event) };
}

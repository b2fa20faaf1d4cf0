import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestApp } from '../../../../test/setup/http/test-app.ts';
import type { ServerEvent } from './server-event-schema.ts';
import type { DownloadJob } from '../../../library/downloads/downloads.ts';
import { RequestLog } from '../../../telemetry/request-log.ts';
import { RequestRecord } from '../../../kernel/request/request-record.ts';
import { ServerEvents } from '../../../kernel/events/server-events.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import type { ApiServices } from '../../services.ts';
import { createEventFeed } from './create-event-feed.ts';
import { mountEvents } from './events.ts';

const job: DownloadJob = {
  id: 'job_1',
  plan: { model: 'a/b', owner: 'A', name: 'B-GGUF', commit: '', quantization: null, files: [] },
  status: 'downloading',
  totalBytes: 10,
  downloadedBytes: 4,
  startedAt: new Date(0),
  completedAt: null,
  failure: null,
  bytesPerSecond: 1,
  estimatedCompletionAt: undefined,
};

function setUp() {
  const events = new ServerEvents((error) => {
    throw error;
  });
  const requestLog = new RequestLog({ events, capacity: 10 });
  const downloads = { find: async () => job, list: async () => [job] };
  const library = { list: async () => [] };
  const logger = createLogger('silent');
  const feed = createEventFeed({ events, requestLog, downloads, library, logger });
  const pool = { describe: async () => [] };
  const services = { events, requestLog, downloads, libraryFor: () => library, feed, pool };
  const { app } = createTestApp({
    v1Routes: (mounted) => mountEvents(mounted, services as unknown as ApiServices),
  });
  async function follow(authorization: string, query = '', id = '') {
    const response = await app.request(`/api/v1/events${query}`, {
      headers: { host: '127.0.0.1', authorization, 'last-event-id': id },
    });
    return { status: response.status, response, read: createReader(response) };
  }
  return { events, requestLog, feed, follow };
}

/** Reads the next events of a stream, at least one. */
function createReader(response: Response) {
  const reader = response.body?.getReader();
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  return async (): Promise<{ id: string; event: ServerEvent }> => {
    while (ready.length === 0) {
      const chunk = await reader?.read();
      if (chunk?.value === undefined) throw new Error('The stream has ended.');
      parser.feed(Buffer.from(chunk.value).toString());
    }
    const { id = '', data = '' } = ready.shift() ?? {};
    return { id, event: JSON.parse(data) as ServerEvent };
  };
}

const ready = (instanceId: string) =>
  ({ type: 'instance.ready', instanceId, model: 'a/b', loadTimeSeconds: 1 }) as const;

it('begins with a snapshot of the topics, and continues with their events', async () => {
  const { events, follow } = setUp();
  const { read } = await follow('Bearer models:read', '?topics=downloads');
  const { event: first } = await read();
  expect(first).toMatchObject({ type: 'events.snapshot', downloads: [{ job_id: 'job_1' }] });
  expect(first).not.toHaveProperty('instances');
  events.publish(ready('a/b'));
  events.publish({ type: 'download.progress', jobId: 'job_1', downloadedBytes: 4 });
  events.publish({ type: 'download.cancelled', jobId: 'job_1', downloadedBytes: 0 });
  expect((await read()).event).toMatchObject({
    type: 'download.progress',
    job: { model: 'a/b', downloaded_bytes: 4, total_size_bytes: 10 },
  });
  expect((await read()).event).toMatchObject({ type: 'download.cancelled', job_id: 'job_1' });
});

it('shows requests to callers with admin only, and no polls', async () => {
  const { events, follow } = setUp();
  expect((await follow('Bearer models:read', '?topics=models,requests')).status).toBe(403);
  expect((await follow('Bearer chat')).status).toBe(403);
  expect((await follow('Bearer admin', '?topics=all')).status).toBe(400);
  const { read } = await follow('Bearer models:read');
  const { read: readAll } = await follow('Bearer admin');
  await Promise.all([read(), readAll()]);
  const begin = (path: string, isPoll: boolean): RequestRecord => {
    const record = new RequestRecord({ requestId: 'r', method: 'GET', path, events, isPoll });
    record.begin(path, null);
    return record;
  };
  begin('/health', true).finish(200, true);
  const record = begin('/api/v1/models', false);
  events.publish(ready('a/b'));
  record.finish(200, true);
  begin('/ready', true).finish(503, true);
  expect((await read()).event.type).toBe('instance.ready');
  const types = [];
  for (let count = 0; count < 4; count += 1) types.push((await readAll()).event);
  expect(types).toMatchObject([
    { type: 'request.started', request: { state: 'running' } },
    { type: 'instance.ready' },
    { type: 'request.finished', request: { path: '/api/v1/models', state: 'completed' } },
    { type: 'request.finished', request: { path: '/ready', state: 'failed' } },
  ]);
});

it('reports the progress of a request when it has changed, twice a second at most', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { events, requestLog, follow } = setUp();
  const { read } = await follow('Bearer admin', '?topics=requests');
  await read();
  // Only the timer of keep-alive comments runs.
  expect(vi.getTimerCount()).toBe(1);
  const path = '/api/v1/chat';
  const record = new RequestRecord({ requestId: 'r', method: 'POST', path, events });
  record.begin(path, null);
  expect(requestLog.running).toContain(record);
  expect((await read()).event).toMatchObject({ type: 'request.started' });
  // Before its generation begins, a request has no progress.
  vi.advanceTimersByTime(1000);
  const generation = record.beginGeneration('chat');
  vi.advanceTimersByTime(500);
  const progress = { type: 'request.progress', id: record.id };
  expect((await read()).event).toMatchObject({
    ...progress,
    phase: 'prompt',
    completion_tokens: 0,
  });
  for (let count = 0; count < 3; count += 1) generation.noteTokens();
  vi.advanceTimersByTime(1500);
  expect((await read()).event).toMatchObject({
    ...progress,
    phase: 'generating',
    completion_tokens: 3,
  });
  record.finish(200, true);
  expect((await read()).event).toMatchObject({ type: 'request.finished' });
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(1);
});

it('reports the percents of a load once each', async () => {
  const { events, follow } = setUp();
  const { read } = await follow('Bearer models:read');
  await read();
  for (const fraction of [0.101, 0.102, 0.109, 0.2]) {
    events.publish({ type: 'instance.progress', instanceId: 'a/b', model: 'a/b', fraction });
  }
  expect((await read()).event).toMatchObject({ progress: 0.101 });
  expect((await read()).event).toMatchObject({ progress: 0.2 });
});

it('tells a client that reads too slowly how much it has missed, with a new snapshot', async () => {
  const { events, follow } = setUp();
  const { read } = await follow('Bearer models:read');
  const { id } = await read();
  for (let count = 0; count < 5000; count += 1) events.publish(ready(`a/b:${count}`));
  const seen: ServerEvent[] = [];
  let missed = 0;
  while (seen.at(-1)?.type !== 'events.snapshot') {
    const { event } = await read();
    if (event.type === 'events.dropped') missed = event.count;
    seen.push(event);
  }
  const received = seen.filter(({ type }) => type === 'instance.ready').length;
  expect(missed).toBeGreaterThan(0);
  expect(received + missed).toBe(5000);
  const { read: readAgain } = await follow('Bearer models:read', '', id);
  expect((await readAgain()).event.type).toBe('events.snapshot');
});

it('gives a client the events of its topics however busy the others are', async () => {
  const { events, follow } = setUp();
  const { read } = await follow('Bearer models:read', '?topics=models');
  const { id } = await read();
  const path = '/api/v1/chat';
  for (let count = 0; count < 5000; count += 1) {
    new RequestRecord({ requestId: 'r', method: 'POST', path, events }).begin(path, null);
  }
  events.publish(ready('a/b'));
  expect((await read()).event).toMatchObject({ type: 'instance.ready' });
  const { read: readAgain } = await follow('Bearer models:read', '?topics=models', id);
  expect((await readAgain()).event).toMatchObject({ type: 'instance.ready' });
});

it('continues after the last event of a client, and ends when the server stops', async () => {
  const { events, feed, follow } = setUp();
  const { read, response } = await follow('Bearer models:read');
  events.publish(ready('one'));
  const { id } = await read();
  await response.body?.cancel().catch(() => {});
  events.publish(ready('two'));
  const { read: readAgain } = await follow('Bearer models:read', '', id);
  expect((await readAgain()).event).toMatchObject({ instance_id: 'two' });
  const end = readAgain();
  feed.close();
  await expect(end).rejects.toThrow('The stream has ended.');
});

import { createChannel } from '../../../kernel/concurrency/channel.ts';
import { streamLog } from './log-schema.ts';
import type { LogHistory } from '../../../telemetry/log-output.ts';
import { mount, type App } from '../../kit/mount.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import type { ApiServices } from '../../services.ts';

const defaultLines = 100;
/** If more lines are waiting, the client is disconnected. */
const maxWaitingLines = 10_000;

export function mountLogs(app: App, services: ApiServices): void {
  mount(app, streamLog, async ({ query, context }) => {
    const { lines = defaultLines, follow = false } = query;
    const { logHistory, feed } = services;
    const messages = toMessages(
      logHistory,
      lines,
      follow,
      AbortSignal.any([context.signal, feed.closed]),
    );
    return eventStream(messages, context);
  });
}

async function* toMessages(
  history: LogHistory,
  count: number,
  isFollowed: boolean,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  const added = createChannel<string>(maxWaitingLines);
  const unsubscribe = history.subscribe(added.push);
  signal.addEventListener('abort', added.close);
  try {
    for (const data of history.latest(count)) yield { data };
    if (!isFollowed || signal.aborted) return;
    for await (const data of added) yield { data };
  } finally {
    signal.removeEventListener('abort', added.close);
    unsubscribe();
  }
}

import type { QueryClient } from '@tanstack/react-query';
import { access } from './access.ts';
import { ApiError } from './api-error.ts';
import { streamUrl } from './client.ts';
import type { ServerSentEvent } from './server-sent-events.ts';
import { createStore } from './store.ts';

export type Connection = 'connecting' | 'open' | 'polling' | 'unreachable';

/** How the app learns of changes: by events, or by polling while events are not available to this token. */
export const connection = createStore<Connection>('connecting');

type Listener = (event: ServerSentEvent) => void;
const listeners = new Set<Listener>();

/** Calls a function for each event of `GET /api/v1/events`; returns a function that stops it. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Maps the first part of an event's name to the query keys (their first part) that the event invalidates. */
const outdatedBy: Readonly<Record<string, readonly string[]>> = {
  model: ['models'],
  instance: ['models'],
  download: ['downloads', 'models'],
  request: ['requests'],
};

const kindsWithEvents = new Set<unknown>(Object.values(outdatedBy).flat());

const reconnectMs = { first: 500, longest: 5000 };
const pollMs = 15_000;

/**
 * Follows the server's events while the page is visible, until the signal aborts. Reconnects after failures and when
 * the token changes.
 */
export async function followLiveEvents(queries: QueryClient, signal: AbortSignal): Promise<void> {
  let waitMs = reconnectMs.first;
  let wasInterrupted = false;
  while (!signal.aborted) {
    await becomesVisible();
    const attempt = new AbortController();
    // A hidden tab closes its connection, since browsers limit the connections to a server over all tabs.
    const endIfHidden = () => document.hidden && attempt.abort();
    document.addEventListener('visibilitychange', endIfHidden);
    const isWithToken = access.get().token;
    const unsubscribe = access.subscribe(() => {
      if (access.get().token !== isWithToken) attempt.abort();
    });
    const combined = AbortSignal.any([signal, attempt.signal]);
    let isOpen = false;
    try {
      // This request never ends, so it must not delay requests for visible data.
      const options = { signal: combined, priority: 'low' } as const;
      for await (const event of streamUrl('get', '/api/v1/events', {}, options)) {
        if (!isOpen) {
          isOpen = true;
          connection.set('open');
          waitMs = reconnectMs.first;
          // Changes before the connection was open had no event.
          void queries.invalidateQueries({
            predicate: ({ queryKey: [kind] }) => wasInterrupted || kindsWithEvents.has(kind),
          });
          wasInterrupted = true;
        }
        for (const listener of listeners) listener(event);
        outdate(queries, event.event);
      }
    } catch (error) {
      if (error instanceof ApiError) {
        connection.set('polling');
        void queries.invalidateQueries({ type: 'active' });
        waitMs = pollMs;
      } else if (!combined.aborted) {
        connection.set('unreachable');
      }
    } finally {
      unsubscribe();
      document.removeEventListener('visibilitychange', endIfHidden);
    }
    await waitFor(attempt.signal.aborted ? 0 : waitMs, combined);
    waitMs = Math.min(waitMs * 2, reconnectMs.longest);
  }
}

async function becomesVisible(): Promise<void> {
  while (document.hidden) {
    await new Promise((resolve) => {
      document.addEventListener('visibilitychange', resolve, { once: true });
    });
  }
}

function outdate(queries: QueryClient, name: string): void {
  const [kind = '', change] = name.split('.');
  // Progress is shown from the events themselves.
  if (change === 'progress') return;
  for (const key of outdatedBy[kind] ?? []) void queries.invalidateQueries({ queryKey: [key] });
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted && ms > 0) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

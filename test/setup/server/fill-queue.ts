import { expect } from 'vitest';
import { instancesOf } from './instances.ts';

/** Maximum number of requests that wait for an instance with one slot. */
const queueCapacity = 64;

/**
 * Fills the queue of a busy instance with one slot.
 *
 * @returns A function that cancels the requests.
 */
export async function fillQueue(url: string, model: string): Promise<() => Promise<void>> {
  const leaving = new AbortController();
  const body = JSON.stringify({ model, input: 'Hello!', store: false });
  const headers = { 'content-type': 'application/json' };
  const waiting = Array.from({ length: queueCapacity }, () =>
    fetch(`${url}/api/v1/chat`, { method: 'POST', body, headers, signal: leaving.signal }).catch(
      () => {},
    ),
  );
  const reachQueued = async (count: number): Promise<void> => {
    await expect
      .poll(async () => (await instancesOf(url)).get(model)?.queued_requests, { timeout: 20_000 })
      .toBe(count);
  };
  await reachQueued(queueCapacity);
  return async () => {
    leaving.abort();
    await Promise.all(waiting);
    await reachQueued(0);
  };
}

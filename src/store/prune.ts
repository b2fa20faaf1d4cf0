import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Store } from './store.ts';

export interface RetentionLimits {
  /** Days to keep a conversation after its newest response. */
  readonly retentionDays?: number | undefined;
  /** Size of the database without its free pages. */
  readonly maxBytes?: number | undefined;
}

/**
 * Upper bound for the size of a text with its index, as a multiple of its length. If it is too high, pruning takes
 * another round; if too low, it would delete a conversation too many.
 */
const sizeFactor = 8;
const dayMs = 24 * 3600 * 1000;

/**
 * Deletes temporary conversations a day after their last response if their client has not done so.
 *
 * @returns their number.
 * @throws the signal's reason when aborted.
 */
export async function deleteLeftTemporary(store: Store, signal: AbortSignal): Promise<number> {
  const before = new Date(Date.now() - dayMs);
  for (let count = 0; ; count += 1) {
    signal.throwIfAborted();
    const left = await store.conversations.leftTemporary(before);
    if (left === undefined) return count;
    await store.conversations.delete(left.id, left.ownerId);
    await nextLoop();
  }
}

/**
 * Deletes whole conversations that exceed the limits, least recently used first; pinned ones stay.
 *
 * @returns the number of deleted conversations.
 * @throws the signal's reason when aborted.
 */
export async function prune(
  store: Store,
  { retentionDays, maxBytes }: RetentionLimits,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  if (retentionDays !== undefined) {
    const before = new Date(Date.now() - retentionDays * dayMs);
    count += await deleteLeastRecent(store, signal, { before });
  }
  if (maxBytes === undefined) return count;
  while (true) {
    const { usedBytes } = await store.size();
    if (usedBytes <= maxBytes) return count;
    const deleted = await deleteLeastRecent(store, signal, { bytes: usedBytes - maxBytes });
    if (deleted === 0) return count;
    count += deleted;
    await store.reclaim(signal);
  }
}

async function deleteLeastRecent(
  store: Store,
  signal: AbortSignal,
  { before, bytes = Number.POSITIVE_INFINITY }: { readonly before?: Date; readonly bytes?: number },
): Promise<number> {
  let count = 0;
  let freedBytes = 0;
  while (freedBytes < bytes) {
    signal.throwIfAborted();
    const conversation = await store.conversations.leastRecent(before);
    if (conversation === undefined) return count;
    await store.conversations.delete(conversation.id, conversation.ownerId);
    freedBytes += sizeFactor * conversation.contentBytes;
    count += 1;
    await nextLoop();
  }
  return count;
}

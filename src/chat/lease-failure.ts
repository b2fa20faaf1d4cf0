import { setTimeout as delay } from 'node:timers/promises';
import { HearthError } from '../contract/errors.ts';
import type { Lease } from '../instances/lease.ts';

/** A lost connection shows a few ms before the exit of its process is known. */
const exitKnownWithinMs = 1000;

/**
 * The error for a request whose engine failed. Where the engine died, this waits until its instance is off
 * the list, so that whoever is told may ask again at once; the pool's error also says why it died.
 */
export async function leaseFailure({ signal }: Lease, error: unknown): Promise<unknown> {
  if (!(error instanceof HearthError) || error.code !== 'crashed') return error;
  await delay(exitKnownWithinMs, undefined, { signal }).catch(() => {});
  return signal.reason instanceof HearthError ? signal.reason : error;
}

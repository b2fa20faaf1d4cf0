import { setTimeout as delay } from 'node:timers/promises';
import {
  ConnectionLostError,
  type EngineConnection,
} from '../../platform/net/engine-connection.ts';

const minDelayMs = 2;
const maxDelayMs = 100;
/** Delay between two polls, as a share of the load's time so far. */
const delayShare = 0.02;

/**
 * Polls `GET /health` until the status is 200. A loading server refuses connections or answers 503. Polls often at
 * first, since small models are ready after some 20 ms, and less often the longer the load takes.
 *
 * @throws The signal's reason.
 */
export async function waitUntilHealthy(
  connection: EngineConnection,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    if (await isHealthy(connection, signal)) return;
    const share = (performance.now() - startedAt) * delayShare;
    const delayMs = Math.min(maxDelayMs, Math.max(minDelayMs, share));
    await delay(delayMs, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

async function isHealthy(connection: EngineConnection, signal: AbortSignal): Promise<boolean> {
  try {
    return (await connection.getJson('/health', signal)).status === 200;
  } catch (error) {
    if (error instanceof ConnectionLostError) return false;
    throw error;
  }
}

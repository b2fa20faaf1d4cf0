import { setTimeout as delay } from 'node:timers/promises';
import {
  ConnectionLostError,
  type EngineConnection,
} from '../../platform/net/engine-connection.ts';

const minDelayMs = 2;
const maxDelayMs = 100;
/** Share of the load's time so far. */
const delayShare = 0.02;

/**
 * Polls `GET /health` until it answers 200; a loading server refuses the connection or answers 503. The longer it has
 * taken, the less frequent are the polls: a small model is ready after a few hundredths of a second.
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

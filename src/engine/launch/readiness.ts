import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionLostError, type EngineConnection } from '../../net/engine-connection.ts';

const firstDelayMs = 2;
const maxDelayMs = 100;
const delayGrowth = 1.3;

/**
 * Polls `GET /health` until it answers 200; a loading server refuses the connection or answers 503. The
 * first polls are frequent, as a small model is ready after a few hundredths of a second.
 *
 * @throws The signal's reason.
 */
export async function waitUntilHealthy(
  connection: EngineConnection,
  signal: AbortSignal,
): Promise<void> {
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(maxDelayMs, delayMs * delayGrowth)) {
    if (await isHealthy(connection, signal)) return;
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

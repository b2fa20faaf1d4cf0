import { setTimeout as delay } from 'node:timers/promises';
import { createChannel } from '../kernel/concurrency/channel.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { Lease } from './loads/instance-lease.ts';
import type { OpenRequest } from './loads/open-request.ts';
import type { PromptMemory } from './rereads/prompt-memory.ts';
import type { Place } from './scheduler/place.ts';
import type { QueuedEvent } from './session-event.ts';

/** Interval at which a waiting request learns its position. */
const positionMs = 1000;

/** Chooses the instances of sessions. */
export interface SessionHost {
  /** Explains why prompts are read again. */
  readonly promptMemory: PromptMemory;
  /** Chooses an instance, or begins to load one. */
  lease(request: OpenRequest, context: RequestContext): Lease;
  /** Waits for the load of an instance. */
  joinLoad(
    lease: Lease,
    waitsForLoad: boolean,
    onProgress: (fraction: number) => void,
  ): Promise<void>;
}

/** A load that a session waits for. */
export interface JoinedLoad {
  readonly progress: AsyncIterable<number>;
  readonly loaded: Promise<void>;
}

export function joinLoad(host: SessionHost, lease: Lease, waitsForLoad: boolean): JoinedLoad {
  const progress = createChannel<number>();
  const loaded = host.joinLoad(lease, waitsForLoad, progress.push).finally(progress.close);
  // Prevents an unhandled rejection, since `loaded` is awaited only after the channel has ended.
  loaded.catch(() => {});
  return { progress, loaded };
}

/** Starts work for which the engine chooses a slot. */
export async function startUnmanaged(place: Place, { signal }: Lease): Promise<void> {
  const prompt = {
    isLong: () => false,
    cellsToStart: () => 0,
    isPausable: () => false,
    take: async () => undefined,
    pause: () => {},
  };
  await place.start(prompt, signal);
}

/** Yields a waiting request's position until `wait` settles. The caller must handle a rejection of `wait`. */
export async function* whileWaiting(
  waiting: { readonly position: number | undefined },
  wait: Promise<unknown>,
): AsyncGenerator<QueuedEvent, void, void> {
  let told: number | undefined;
  const ended = wait.catch(() => {});
  for (let { position } = waiting; position !== undefined; { position } = waiting) {
    if (position !== told) yield { type: 'queued', position };
    told = position;
    await Promise.race([ended, delay(positionMs, undefined, { ref: false })]);
  }
}

import { linkAbort } from '../concurrency/linked-abort.ts';
import { createChannel } from '../concurrency/channel.ts';
import type { AcquireEvent, AcquireRequest } from '../engines/loads/acquire-request.ts';
import type { InstanceLease } from '../engines/loads/instance-lease.ts';
import type { InstancePool } from '../engines/loads/pool.ts';
import { withSignal, type RequestContext } from '../request/request-context.ts';
import type { LoadEvent } from './turn-event.ts';

export interface AcquiredInstance {
  readonly lease: InstanceLease;
  /** Time of the request, or of the end of its load; a value of `performance.now()`. */
  readonly startedAt: number;
  /** Present if the request waited for a load. */
  readonly loadTimeSeconds: number | undefined;
}

export interface AcquireListener<Start> {
  /** Creates the first event, if any, once the instance is chosen; `isLoading` if the request waits for its load. */
  readonly toStart: (
    instanceId: string,
    isLoading: boolean,
  ) => Start | undefined | Promise<Start | undefined>;
  /** Called at once when the request has its slot, perhaps while the model still loads. */
  readonly onSlot?: () => void;
}

/**
 * Acquires an instance and yields the events until then. The caller must release the lease; ending the iteration early
 * cancels the request.
 *
 * @throws The errors of `InstancePool.acquire`.
 */
export async function* acquireInstance<Start>(
  pool: InstancePool,
  request: AcquireRequest,
  context: RequestContext,
  { toStart, onSlot = () => {} }: AcquireListener<Start>,
): AsyncGenerator<Start | LoadEvent, AcquiredInstance> {
  // The lease follows it until its release; the request's own signal ends with the request.
  const abandoned = linkAbort(context.signal);
  const events = createChannel<AcquireEvent>();
  let startedAt = performance.now();
  let loadTimeSeconds: number | undefined;
  let isLoading = false;
  const acquiring = pool
    .acquire(request, withSignal(context, abandoned.signal), (event) => {
      if (event.type === 'slot.assigned') onSlot();
      if (event.type === 'load.start') isLoading = true;
      if (event.type === 'load.end') {
        startedAt = performance.now();
        ({ loadTimeSeconds } = event);
      }
      events.push(event);
    })
    .finally(events.close);
  // Awaited only after the channel has ended; an earlier failure must not become an unhandled rejection.
  acquiring.catch(() => {});
  let isTaken = false;
  try {
    let instanceId = '';
    for await (const event of events) {
      if (event.type === 'instance.chosen') {
        ({ instanceId } = event);
        const start = await toStart(instanceId, isLoading);
        if (start !== undefined) yield start;
      } else if (event.type !== 'slot.assigned') {
        yield { ...event, instanceId };
      }
    }
    const lease = await acquiring;
    isTaken = true;
    return { lease, startedAt, loadTimeSeconds };
  } finally {
    if (!isTaken) {
      abandoned.abort();
      acquiring.then(
        (lease) => lease.release(),
        () => {},
      );
    }
  }
}

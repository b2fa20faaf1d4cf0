import { HearthError } from '../contract/errors.ts';
import type { AcquireRequest } from '../engines/loads/acquire-request.ts';
import { EngineLost } from '../engines/loads/engine-lost.ts';
import type { InstancePool } from '../engines/loads/pool.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  acquireInstance,
  type AcquiredInstance,
  type AcquireListener,
} from './acquire-instance.ts';
import type { LoadEvent } from './turn-event.ts';

interface InstanceUse<Start, Event> extends AcquireListener<Start> {
  /** Called again on another instance where the work is repeated. */
  readonly run: (instance: AcquiredInstance) => AsyncIterable<Awaited<Event>>;
  /** Whether the client gets a result at the end, and not the events. */
  readonly isWhole: boolean;
  /** Called before the work is repeated; its events were dropped. */
  readonly onRepeat?: () => void;
}

/**
 * Acquires an instance, yields the events until then and those of the work, and releases it. If the memory guard ended
 * the engine, probably for another request, the work is repeated once on a fresh instance, unless the client has
 * received output or a tool was called.
 *
 * @throws The errors of `InstancePool.acquire` and of the work.
 */
export async function* onInstance<Start, Event extends { readonly type: string }>(
  pool: InstancePool,
  request: AcquireRequest,
  context: RequestContext,
  { run, isWhole, onRepeat = () => {}, ...listener }: InstanceUse<Start, Event>,
): AsyncGenerator<Start | LoadEvent | Event> {
  let isFinal = false;
  for (let isRepeated = false; ; isRepeated = true) {
    let instance: AcquiredInstance | undefined;
    let held: Awaited<Event>[] = [];
    try {
      instance = yield* acquireInstance(pool, request, context, listener);
      for await (const event of run(instance)) {
        const isOutput = !/^(?:prompt|toolList)\./.test(event.type);
        isFinal ||= isOutput && (!isWhole || event.type.startsWith('toolCall.'));
        if (isWhole && !isFinal) {
          held.push(event);
          continue;
        }
        if (held.length > 0) yield* held;
        held = [];
        yield event;
      }
      yield* held;
      return;
    } catch (error) {
      const mayRepeat = error instanceof EngineLost && error.isRepeatable;
      if (isRepeated || isFinal || !mayRepeat) {
        yield* held;
        if (error instanceof HearthError) context.record.fail(error);
        throw error;
      }
      onRepeat();
    } finally {
      instance?.lease.release();
    }
  }
}

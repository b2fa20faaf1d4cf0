import { createChannel } from '../../../kernel/concurrency/channel.ts';
import { linkAbort } from '../../../kernel/concurrency/linked-abort.ts';
import { type RequestContext, withSignal } from '../../../telemetry/request-context.ts';
import type { ModelTarget } from '../../../engines/loads/open-request.ts';
import { foldSeed } from '../../../engines/fold-seed.ts';
import type { GenerationOptions } from '../../../chat/turn-request.ts';

/** An event of one of a request's choices. */
export interface ChoiceEvent<Event> {
  readonly index: number;
  readonly event: Event;
}

/** More choices than these wait for the ones before them. */
const maxConcurrent = 8;
/** Most events that wait for the reader, for each choice: a slow client of many choices ends with an error. */
const maxWaiting = 65_536;

/**
 * Runs the choices of a request beside each other and joins their events. The first failure ends all of them, as
 * does returning early.
 *
 * @throws What a choice throws.
 */
export async function* runChoices<Event>(
  count: number,
  start: (index: number, context: RequestContext) => AsyncGenerator<Event>,
  context: RequestContext,
): AsyncGenerator<ChoiceEvent<Event>> {
  if (count === 1) {
    for await (const event of start(0, context)) yield { index: 0, event };
    return;
  }
  const ended = linkAbort(context.signal);
  const ownContext = withSignal(context, ended.signal);
  const channel = createChannel<ChoiceEvent<Event>>(count * maxWaiting);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      for await (const event of start(index, ownContext)) channel.push({ index, event });
    }
  };
  const workers = Array.from({ length: Math.min(count, maxConcurrent) }, work);
  const running = Promise.all(workers).finally(channel.close);
  // It is awaited only after the channel has ended; until then a failure must not count as unhandled.
  running.catch(() => {});
  try {
    yield* channel;
    await running;
  } finally {
    ended.abort();
    await Promise.allSettled(workers);
  }
}

/** Each choice has a seed of its own, as they would be the same otherwise; `target` may have the seed of a profile. */
export function withSeedOf<Request extends Pick<GenerationOptions, 'sampling'>>(
  request: Request,
  index: number,
  target?: Pick<ModelTarget, 'defaults'>,
): Request {
  const seed = request.sampling.seed ?? target?.defaults?.sampling?.seed;
  if (seed === undefined || seed < 0 || index === 0) return request;
  return { ...request, sampling: { ...request.sampling, seed: foldSeed(seed + index) } };
}

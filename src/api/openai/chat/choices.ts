import { createChannel } from '../../../kernel/concurrency/channel.ts';
import { linkAbort } from '../../../kernel/concurrency/linked-abort.ts';
import { type RequestContext, withSignal } from '../../../kernel/request/request-context.ts';
import type { ModelTarget } from '../../../engines/loads/open-request.ts';
import { foldSeed } from '../../../engines/fold-seed.ts';
import type { GenerationOptions } from '../../../chat/turn-request.ts';

/** An event of one choice of a request. */
export interface ChoiceEvent<Event> {
  readonly index: number;
  readonly event: Event;
}

/** Choices that run at the same time; the others wait. */
const maxConcurrent = 8;
/** Maximum number of events that wait for the reader, for each choice. If a client reads too slowly, the request fails. */
const maxWaiting = 65_536;

/**
 * Runs the choices of a request concurrently and merges their events. The first failure ends all choices; so does
 * returning early.
 *
 * @throws The first error of a choice.
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
  // `running` is awaited only after the channel has ended; until then its failure must not count as unhandled.
  running.catch(() => {});
  try {
    yield* channel;
    await running;
  } finally {
    ended.abort();
    await Promise.allSettled(workers);
  }
}

/**
 * Gives each choice its own seed: with the same seed, all choices would be equal. If the request has no seed, `target`
 * may have one from a profile.
 */
export function withSeedOf<Request extends Pick<GenerationOptions, 'sampling'>>(
  request: Request,
  index: number,
  target?: Pick<ModelTarget, 'defaults'>,
): Request {
  const seed = request.sampling.seed ?? target?.defaults?.sampling?.seed;
  if (seed === undefined || seed < 0 || index === 0) return request;
  return { ...request, sampling: { ...request.sampling, seed: foldSeed(seed + index) } };
}

import type { CompletionEvent } from '../../../chat/run-completion.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { HearthError } from '../../../kernel/errors/errors.ts';
import type { ChoiceEvent } from '../../openai/chat/choices.ts';

type GenerationEvent = TurnEvent | CompletionEvent;
type EndEvent = Extract<GenerationEvent, { readonly type: 'turn.end' | 'completion.end' }>;
type ResultOf<Event> = Extract<Event, EndEvent>['result'];

interface Collected<Result> {
  /** One result per choice. */
  readonly results: readonly [Result, ...Result[]];
  /** The error if the answer is complete but could not be stored. */
  readonly storageFailure: HearthError | undefined;
}

/**
 * Reads the events of a turn or completion, or of several choices, and returns their results.
 *
 * @throws The error of `turn.error`, except `storage_failed`; the errors of the events.
 */
export async function collect<Event extends GenerationEvent>(
  items: AsyncIterable<Event | ChoiceEvent<Event>>,
  { count = 1, onEvent }: CollectOptions<Event> = {},
): Promise<Collected<ResultOf<Event>>> {
  const results: ResultOf<Event>[] = [];
  let storageFailure: HearthError | undefined;
  for await (const item of items) {
    const { index, event }: ChoiceEvent<Event> = 'event' in item ? item : { index: 0, event: item };
    if (event.type === 'turn.error') {
      if (event.error.code !== 'storage_failed') throw event.error;
      storageFailure = event.error;
    }
    onEvent?.(event);
    if (isEnd(event)) results[index] = event.result;
  }
  const [first, ...others] = results;
  if (first === undefined || Object.keys(results).length < count) {
    throw new Error('A generation ended without its last event');
  }
  return { results: [first, ...others], storageFailure };
}

interface CollectOptions<Event> {
  /** Number of choices. */
  readonly count?: number;
  readonly onEvent?: (event: Event) => void;
}

export function isEnd(event: GenerationEvent): event is EndEvent {
  return event.type === 'turn.end' || event.type === 'completion.end';
}

/** The events of a background turn without their positions. */
export async function* valuesOf<Value>(
  numbered: AsyncIterable<{ readonly value: Value }>,
): AsyncGenerator<Value> {
  for await (const { value } of numbered) yield value;
}

import type { CompletionEvent } from '../../../chat/run-completion.ts';
import type { GenerationSummary, TurnEvent } from '../../../chat/turn-event.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import { readAhead, type ChoiceEvent } from '../../openai/choices.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { toStreamError } from '../../openai/stream-error.ts';
import type { SseMessage } from '../../sse.ts';
import { v0Errors } from './errors.ts';
import { toReport } from './to-report.ts';

type GenerationEvent = TurnEvent | CompletionEvent;

/** How one stream of a kind of completion writes its chunks. */
export interface ChunkFormat<Event extends GenerationEvent, Choice> {
  readonly idPrefix: 'chatcmpl' | 'cmpl';
  readonly object: 'chat.completion.chunk' | 'text_completion';
  /** The choice of the chunk for an event; undefined where there is no chunk. */
  readonly toChoice: (event: ChoiceEvent<Event>) => Choice | undefined;
}

interface ChunkOptions {
  /** Number of choices. */
  readonly count: number;
  readonly context: RequestContext;
}

/**
 * The chunks of a completion: deltas and finish reasons, `[DONE]`. The chunk in which the last choice ends has the
 * usage and the statistics. A failure before the first output is thrown, so that it becomes an ordinary error response.
 *
 * @throws The errors of the events.
 */
export async function openChunkStream<Event extends GenerationEvent, Choice>(
  events: AsyncGenerator<ChoiceEvent<Event>>,
  format: ChunkFormat<Event, Choice>,
  options: ChunkOptions,
): Promise<AsyncGenerator<SseMessage>> {
  const ready = await readAhead(events, ({ event }) => {
    if (event.type === 'turn.error') throw event.error;
    return event.type.endsWith('.delta') || isEnd(event);
  });
  return chunkStream(ready, format, options);
}

async function* chunkStream<Event extends GenerationEvent, Choice>(
  events: AsyncIterable<ChoiceEvent<Event>>,
  { idPrefix, object, toChoice }: ChunkFormat<Event, Choice>,
  { count, context }: ChunkOptions,
): AsyncGenerator<SseMessage> {
  const head = completionHead(idPrefix, object);
  const results: GenerationSummary[] = [];
  let model = '';
  try {
    for await (const choiceEvent of events) {
      const { index, event } = choiceEvent;
      if (event.type === 'turn.start' || event.type === 'completion.start') {
        model = event.selection.model.key;
      }
      if (event.type === 'turn.error') throw event.error;
      if (isEnd(event)) results[index] = event.result;
      const isLast = isEnd(event) && Object.keys(results).length === count;
      const report = isLast ? toReport(results) : {};
      const choice = toChoice(choiceEvent);
      if (choice === undefined) continue;
      yield { data: JSON.stringify({ ...head, model, choices: [choice], ...report }) };
    }
  } catch (error) {
    const { body } = v0Errors.serialize(toStreamError(error, context));
    yield { data: JSON.stringify(body) };
  }
  yield { data: '[DONE]' };
}

type EndEvent = Extract<GenerationEvent, { readonly type: 'turn.end' | 'completion.end' }>;

function isEnd(event: GenerationEvent): event is EndEvent {
  return event.type === 'turn.end' || event.type === 'completion.end';
}

import type { CompletionEvent } from '../../../chat/run-completion.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { V0FinishReason } from '../../../contract/v0/result.ts';
import { HearthError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import type { SseMessage } from '../../sse.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { v0Errors } from './errors.ts';
import { toFinishReason, toReport } from './to-report.ts';

type GenerationEvent = TurnEvent | CompletionEvent;

/** How one stream of a kind of completion writes its chunks. */
export interface ChunkFormat<Event extends GenerationEvent, Choice> {
  readonly idPrefix: 'chatcmpl' | 'cmpl';
  readonly object: 'chat.completion.chunk' | 'text_completion';
  /** The choice of the chunk for an event; undefined where there is no chunk. */
  readonly toChoice: (event: Event) => Choice | undefined;
  /** The choice of the last chunk, which has the statistics. */
  readonly toLastChoice: (finishReason: V0FinishReason) => Choice;
}

interface ChunkOptions {
  /** Whether one more chunk, without choices, carries the usage, as in OpenAI's API. */
  readonly includesUsage: boolean;
  readonly context: RequestContext;
}

const done: SseMessage = { data: '[DONE]' };

/**
 * The chunks of a completion: deltas, the finish reason with the statistics, `[DONE]`. A failure before the first
 * output is thrown, so that it becomes an ordinary error response.
 */
export async function openChunkStream<Event extends GenerationEvent, Choice>(
  events: AsyncGenerator<Event>,
  format: ChunkFormat<Event, Choice>,
  options: ChunkOptions,
): Promise<AsyncGenerator<SseMessage>> {
  const ahead: Event[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value;
    if (event.type === 'turn.error') {
      await events.return(undefined);
      throw event.error;
    }
    ahead.push(event);
    if (event.type.endsWith('.delta') || isEnd(event)) break;
  }
  return chunkStream(resume(ahead, events), format, options);
}

async function* resume<Event>(
  ahead: readonly Event[],
  events: AsyncGenerator<Event>,
): AsyncGenerator<Event> {
  try {
    yield* ahead;
    yield* events;
  } finally {
    await events.return(undefined);
  }
}

async function* chunkStream<Event extends GenerationEvent, Choice>(
  events: AsyncIterable<Event>,
  { idPrefix, object, toChoice, toLastChoice }: ChunkFormat<Event, Choice>,
  { includesUsage, context }: ChunkOptions,
): AsyncGenerator<SseMessage> {
  const head = completionHead(idPrefix, object);
  let model = '';
  const chunk = (choices: readonly Choice[], more: object = {}): SseMessage => ({
    data: JSON.stringify({ ...head, model, choices, ...more }),
  });
  try {
    for await (const event of events) {
      if (event.type === 'turn.start' || event.type === 'completion.start') {
        model = event.selection.model.key;
      }
      if (event.type === 'turn.error') throw event.error;
      const choice = toChoice(event);
      if (choice !== undefined) yield chunk([choice]);
      if (isEnd(event)) {
        const report = toReport(event.result);
        yield chunk([toLastChoice(toFinishReason(event.result))], report);
        if (includesUsage) yield chunk([], { usage: report.usage });
      }
    }
  } catch (error) {
    yield toErrorMessage(error, context);
  }
  yield done;
}

type EndEvent = Extract<GenerationEvent, { readonly type: 'turn.end' | 'completion.end' }>;

function isEnd(event: GenerationEvent): event is EndEvent {
  return event.type === 'turn.end' || event.type === 'completion.end';
}

/** A failure after the stream has begun, as a `data:` line; thrown on where the client has disconnected. */
function toErrorMessage(error: unknown, { signal, logger }: RequestContext): SseMessage {
  if (error instanceof HearthError) return { data: JSON.stringify(v0Errors.serialize(error).body) };
  if (signal.aborted) throw error;
  logger.error({ err: error }, 'stream failed');
  const internal = new HearthError(
    'internal',
    'Something went wrong in the server; its log says more.',
  );
  return { data: JSON.stringify(v0Errors.serialize(internal).body) };
}

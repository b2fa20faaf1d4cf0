import type { CompletionEvent } from '../../../chat/run-completion.ts';
import type { GenerationSummary, TurnEvent } from '../../../chat/turn-event.ts';
import type { ChoiceEvent } from '../chat/choices.ts';
import { completionHead } from '../chat/completion-head.ts';
import type { SseMessage } from '../../kit/stream/sse.ts';
import { isEnd } from '../../kit/stream/collect.ts';
import type { StreamFormat } from '../../kit/stream/open-stream.ts';
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

/**
 * The chunks of a completion: deltas and finish reasons, `[DONE]`. The chunk in which the last choice ends has the
 * usage and the statistics.
 *
 * @param count Number of choices.
 */
export function toStreamFormat<Event extends GenerationEvent, Choice>(
  { idPrefix, object, toChoice }: ChunkFormat<Event, Choice>,
  count = 1,
): StreamFormat<ChoiceEvent<Event>, SseMessage> {
  const head = completionHead(idPrefix, object);
  const results: GenerationSummary[] = [];
  let model = '';
  return {
    write: (choiceEvent) => {
      const { index, event }: ChoiceEvent<GenerationEvent> = choiceEvent;
      if (event.type === 'turn.start' || event.type === 'completion.start') {
        model = event.selection.model.key;
      }
      if (event.type === 'turn.error') throw event.error;
      if (isEnd(event)) results[index] = event.result;
      const isLast = isEnd(event) && Object.keys(results).length === count;
      const report = isLast ? toReport(results) : {};
      const choice = toChoice(choiceEvent);
      if (choice === undefined) return [];
      return [{ data: JSON.stringify({ ...head, model, choices: [choice], ...report }) }];
    },
    fail: (error) => [{ data: JSON.stringify(v0Errors.serialize(error).body) }],
    end: () => [{ data: '[DONE]' }],
  };
}

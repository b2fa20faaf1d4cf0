import type { GenerationSummary, TurnEvent } from '../../../chat/turn-event.ts';
import type { V0ModelInfo, V0Runtime, V0Stats, V0Usage } from './result-schema.ts';
import { answerSpeed } from '../../../chat/generation-stats.ts';
import type { CompletionEvent } from '../../../chat/run-completion.ts';
import type { ChoiceEvent } from '../chat/choices.ts';
import { completionHead } from '../chat/choice-fields.ts';
import type { SseMessage } from '../../kit/stream/sse.ts';
import { isEnd } from '../../kit/stream/collect.ts';
import type { StreamFormat } from '../../kit/stream/open-stream.ts';
import { v0Errors } from '../errors.ts';

interface V0Report {
  readonly usage: V0Usage;
  readonly stats: V0Stats;
  readonly model_info: V0ModelInfo;
  readonly runtime: V0Runtime;
}

/**
 * Usage, statistics, model and runtime, for a whole result and for the last chunk of a stream.
 *
 * @param summaries Summaries of the choices, at least one.
 */
export function toReport(summaries: readonly GenerationSummary[]): V0Report {
  const [first] = summaries;
  if (first?.capabilities === undefined) {
    throw new Error('The generation ended before it had an engine');
  }
  const { selection, capabilities } = first;
  const { model, variant } = selection;
  const promptTokens = sum(summaries.map(({ usage }) => usage.promptTokens));
  const completionTokens = sum(summaries.map(({ usage }) => usage.completionTokens));
  return {
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    stats: toStats(summaries, first),
    model_info: {
      arch: model.architecture,
      quant: variant.quantization?.name ?? 'unknown',
      format: model.format,
      context_length: capabilities.contextLength,
    },
    runtime: {
      name: capabilities.runtimeName,
      version: capabilities.runtimeVersion,
      supported_formats: [...capabilities.supportedFormats],
    },
  };
}

/** With several choices, reports the mean speed, the first token's latency and the total time. */
function toStats(summaries: readonly GenerationSummary[], first: GenerationSummary): V0Stats {
  const timings = summaries.map((each) => each.timings);
  const speeds = summaries.map(answerSpeed);
  const failed = summaries.find(
    ({ isMalformed, stopReason }) => isMalformed || stopReason === null,
  );
  return {
    tokens_per_second: sum(speeds) / speeds.length,
    time_to_first_token: Math.min(...timings.map((each) => each.timeToFirstTokenSeconds)),
    generation_time: sum(timings.map((each) => each.generationSeconds)),
    stop_reason: failed === undefined ? (first.stopReason ?? 'failed') : 'failed',
    ...draftCounts(summaries),
  };
}

function draftCounts(summaries: readonly GenerationSummary[]) {
  const drafts = summaries.map(({ usage }) => usage.drafts).filter((each) => each !== undefined);
  if (drafts.length === 0) return {};
  const total = sum(drafts.map(({ proposedTokens }) => proposedTokens));
  const accepted = sum(drafts.map(({ acceptedTokens }) => acceptedTokens));
  return {
    total_draft_tokens_count: total,
    accepted_draft_tokens_count: accepted,
    rejected_draft_tokens_count: total - accepted,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type GenerationEvent = TurnEvent | CompletionEvent;

/** Format of the chunks of one stream. */
export interface ChunkFormat<Event extends GenerationEvent, Choice> {
  readonly idPrefix: 'chatcmpl' | 'cmpl';
  readonly object: 'chat.completion.chunk' | 'text_completion';
  /** Converts an event to the choice of a chunk; undefined if the event needs no chunk. */
  readonly toChoice: (event: ChoiceEvent<Event>) => Choice | undefined;
}

/**
 * Streams the chunks of a completion: deltas, finish reasons, `[DONE]`. The chunk that ends the last choice has the
 * usage and statistics.
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

import type { GenerationSummary } from '../../../chat/turn-event.ts';
import type { V0ModelInfo, V0Runtime, V0Stats, V0Usage } from './result-schema.ts';
import { answerSpeed } from '../../kit/answer-speed.ts';

interface V0Report {
  readonly usage: V0Usage;
  readonly stats: V0Stats;
  readonly model_info: V0ModelInfo;
  readonly runtime: V0Runtime;
}

/**
 * Usage, statistics, model and runtime, as a whole result and the last chunk of a stream carry them.
 *
 * @param summaries of the choices, at least one
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

/** Of several choices: the speed is their mean, the times are those of the first token and of all tokens. */
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

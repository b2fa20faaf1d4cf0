import type { GenerationSummary } from '../../../chat/turn-event.ts';
import type {
  V0FinishReason,
  V0ModelInfo,
  V0Runtime,
  V0Stats,
  V0Usage,
} from '../../../contract/v0/result.ts';
import type { StopReason } from '../../../conversation/conversation-turn.ts';

interface V0Report {
  readonly usage: V0Usage;
  readonly stats: V0Stats;
  readonly model_info: V0ModelInfo;
  readonly runtime: V0Runtime;
}

const finishReasons: Readonly<Record<StopReason, V0FinishReason>> = {
  eosFound: 'stop',
  stopStringFound: 'stop',
  maxPredictedTokensReached: 'length',
  contextLengthReached: 'length',
  toolCalls: 'tool_calls',
};

export function toFinishReason(summary: GenerationSummary): V0FinishReason {
  return finishReasons[summary.stopReason ?? 'eosFound'];
}

/** Usage, statistics, model and runtime, as a whole result and the last chunk of a stream carry them. */
export function toReport(summary: GenerationSummary): V0Report {
  const { selection, capabilities, usage, timings, stopReason, isMalformed } = summary;
  if (capabilities === undefined) throw new Error('The generation ended before it had an engine');
  const { model, variant } = selection;
  return {
    usage: {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
    },
    stats: {
      tokens_per_second: timings.tokensPerSecond,
      time_to_first_token: timings.timeToFirstTokenSeconds,
      generation_time: timings.generationSeconds,
      stop_reason: isMalformed || stopReason === null ? 'failed' : stopReason,
    },
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

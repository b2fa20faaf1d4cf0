import type {
  V0FinishReason,
  V0ModelInfo,
  V0Runtime,
  V0Stats,
  V0Usage,
} from '../../../contract/v0/result.ts';
import type { GenerationReport, GenerationStart } from '../../../chat/generation.ts';
import type { EngineStopReason } from '../../../engine/engine.ts';

const finishReasons: Readonly<Record<EngineStopReason, V0FinishReason>> = {
  eosFound: 'stop',
  stopStringFound: 'stop',
  maxPredictedTokensReached: 'length',
  contextLengthReached: 'length',
  toolCalls: 'tool_calls',
};

export function toFinishReason({ stopReason }: GenerationReport): V0FinishReason {
  return finishReasons[stopReason];
}

/** Usage, statistics, model and runtime, as a whole result and the last chunk of a stream carry them. */
export function toV0Report(
  { selection, capabilities }: GenerationStart,
  report: GenerationReport,
): {
  readonly usage: V0Usage;
  readonly stats: V0Stats;
  readonly model_info: V0ModelInfo;
  readonly runtime: V0Runtime;
} {
  const { promptTokens, completionTokens } = report.usage;
  const { model, variant } = selection;
  return {
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    stats: {
      tokens_per_second: report.tokensPerSecond,
      time_to_first_token: report.timeToFirstTokenSeconds,
      generation_time: report.generationSeconds,
      stop_reason: report.isMalformed ? 'failed' : report.stopReason,
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

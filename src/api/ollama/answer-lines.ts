import type { CompletionResult } from '../../chat/run-completion.ts';
import type { GenerationSummary, TurnResult } from '../../chat/turn-event.ts';
import type { OllamaChatAnswer, OllamaAnswerMessage } from './chat-schema.ts';
import type { OllamaGenerateAnswer } from './generate-schema.ts';
import type { StopReason } from '../../store/turns/conversation-turn.ts';
import type { TokenLogprob } from '../../engines/engine.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { toAnswerParts, type AnswerCall, type AnswerEvent } from './answer-events.ts';

/** A part of an answer, or the whole answer. */
export interface AnswerPart {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly AnswerCall[];
}

/** Converts a part to the fields of an endpoint's lines. */
export type ToFields<Fields> = (part: AnswerPart) => Fields;

export function toChatFields({
  text = '',
  thinking,
  calls,
}: AnswerPart): Pick<OllamaChatAnswer, 'message'> {
  const toolCalls = calls?.map(({ id, index, name, arguments: parsed }) => ({
    id,
    function: { index, name, arguments: parsed },
  }));
  const message: OllamaAnswerMessage = {
    role: 'assistant',
    content: text,
    ...omitUndefined({ thinking, tool_calls: toolCalls }),
  };
  return { message };
}

export function toGenerateFields({
  text = '',
  thinking,
}: AnswerPart): Pick<OllamaGenerateAnswer, 'response' | 'thinking'> {
  return { response: text, ...omitUndefined({ thinking }) };
}

interface AnswerHead {
  /** Name of the model in the request. */
  readonly model: string;
  /** `performance.now()` at the beginning of the request. */
  readonly startedAt: number;
}

/** Returns a function that converts parts of a streamed answer to lines; the last line has the statistics. */
export function createLines<Fields extends object>(
  { model, startedAt }: AnswerHead,
  toFields: ToFields<Fields>,
) {
  const line = (part: AnswerPart) => ({ model, created_at: now(), ...toFields(part) });
  return (event: AnswerEvent) => {
    switch (event.type) {
      case 'thinking':
        return { ...line({ thinking: event.text }), done: false };
      case 'text':
        return { ...line({ text: event.text }), done: false, ...toLogprobs(event.logprobs) };
      case 'call':
        return { ...line({ calls: [event.call] }), done: false };
      case 'end':
        return { ...line({}), ...toEnd(event.summary, startedAt) };
    }
  };
}

/** A line without content, which keeps clients waiting. */
export function emptyLine<Fields extends object>(model: string, toFields: ToFields<Fields>) {
  return { model, created_at: now(), ...toFields({}), done: false };
}

/** A whole answer, sent as one line. */
export function toAnswer<Fields extends object>(
  result: TurnResult | CompletionResult,
  { model, startedAt }: AnswerHead,
  toFields: ToFields<Fields>,
) {
  const { text, thinking, calls } = toAnswerParts(result);
  const part = {
    text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { calls }),
  };
  return {
    model,
    created_at: now(),
    ...toFields(part),
    ...toEnd(result, startedAt),
    ...toLogprobs(result.logprobs),
  };
}

/** The only line of a request that loads or unloads a model. */
export function emptyAnswer<Fields extends object>(
  model: string,
  reason: 'load' | 'unload',
  toFields: ToFields<Fields>,
) {
  return { model, created_at: now(), ...toFields({}), done: true, done_reason: reason };
}

function toEnd({ stopReason, usage, timings }: GenerationSummary, startedAt: number) {
  return {
    done: true,
    done_reason: toDoneReason(stopReason),
    total_duration: toNanoseconds((performance.now() - startedAt) / 1000),
    load_duration: toNanoseconds(timings.loadTimeSeconds ?? 0),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: toNanoseconds(timings.timeToFirstTokenSeconds),
    eval_count: usage.completionTokens,
    eval_duration: toNanoseconds(timings.generationSeconds),
  };
}

function toDoneReason(stopReason: StopReason | null): 'stop' | 'length' {
  const isCut = stopReason === 'maxPredictedTokensReached' || stopReason === 'contextLengthReached';
  return isCut ? 'length' : 'stop';
}

function toLogprobs(logprobs: readonly TokenLogprob[] | undefined) {
  if (logprobs === undefined || logprobs.length === 0) return {};
  const bytesOf = ({ bytes }: { readonly bytes: readonly number[] | null }) =>
    bytes === null ? null : [...bytes];
  return {
    logprobs: logprobs.map((entry) => ({
      token: entry.token,
      logprob: entry.logprob,
      bytes: bytesOf(entry),
      top_logprobs: entry.topLogprobs.map((top) => ({
        token: top.token,
        logprob: top.logprob,
        bytes: bytesOf(top),
      })),
    })),
  };
}

export function toNanoseconds(seconds: number): number {
  return Math.round(seconds * 1e9);
}

function now(): string {
  return new Date().toISOString();
}

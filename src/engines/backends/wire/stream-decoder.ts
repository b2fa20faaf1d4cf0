import { createParser } from 'eventsource-parser';
import { StringDecoder } from 'node:string_decoder';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type {
  EngineStopReason,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../../engine.ts';
import { AnswerReader, textOf } from './answer-reader.ts';
import type { WireDialect } from './dialect.ts';
import { readLogprobs } from './logprobs.ts';
import type {
  NativeStop,
  StreamEvent,
  WireChoice,
  WirePromptProgress,
  WireTimings,
  WireUsage,
} from './stream-event.ts';
import { estimateTokens } from './token-estimate.ts';
import { readWireError } from './wire-error.ts';

/**
 * Tokens that arrive within this time are sent together; the first one is never delayed. Three screen frames still
 * look smooth. Fewer batches leave more time to the engine: each takes the CPU cores for about a millisecond
 * (docs/adr/0004-coalesced-deltas.md).
 */
export const minBatchMs = 50;

/** The bytes of an answer. */
export interface WireStream {
  /** Waits for bytes and returns all that have arrived since the last call; undefined at the end. */
  read(): Promise<readonly Buffer[] | undefined>;
  /** Makes `read` return at most once in each interval. */
  setMinimumInterval(intervalMs: number): void;
  /** Closes the connection, which makes the server stop. Does nothing after the end. */
  close(): void;
}

/** Limits the memory for a line that never ends. Far above the size of any event. */
const maxEventCharacters = 16 * 1024 * 1024;
/** The speed of an answer that arrives within this time can't be measured, since one read delivers several tokens. */
const minGenerationMs = 10;

/** Converts the server-sent events of one chat or text completion to generation events. */
export class StreamDecoder {
  readonly #request: GenerationRequest;
  readonly #dialect: WireDialect;
  readonly #modelId: string | undefined;
  readonly answer: AnswerReader;
  readonly #utf8 = new StringDecoder('utf8');
  readonly #startedAt = performance.now();
  #readAt = this.#startedAt;
  readonly #parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => {
      if (this.answer.stopString !== undefined) return;
      if (data === '[DONE]') this.#acceptEnd(false);
      else this.#accept(this.#parse(data));
    },
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      throw this.#dialect.failures.broken('an event is too long');
    },
  });
  #firstTokenAt: number | undefined;
  #deltaCount = 0;
  #reasoningCount = 0;
  #usage: WireUsage | undefined;
  #timings: WireTimings | undefined;
  #progress: WirePromptProgress | undefined;
  #finish: WireChoice | undefined;
  #native: NativeStop | undefined;
  #hasEnded = false;
  #isMalformed = false;
  #failure: Error | undefined;

  /** @param modelId The only model that may answer; absent: any model. */
  constructor(request: GenerationRequest, dialect: WireDialect, modelId?: string) {
    this.#request = request;
    this.#dialect = dialect;
    this.#modelId = modelId;
    this.answer = new AnswerReader(request, dialect);
  }

  /** Reasoning tokens so far, or the number of reasoning deltas if the server does not count tokens. */
  get reasoningTokens(): number {
    const counted = this.#usage?.completion_tokens_details?.reasoning_tokens;
    return this.answer.foundReasoning ? this.#reasoningCount : (counted ?? this.#reasoningCount);
  }

  /**
   * Decodes a whole stream and closes it. If the stream fails after some output, yields `generation.cut` with the
   * figures so far before it throws.
   *
   * @param intervalMs Minimum time between two batches after the first output.
   * @throws The signal's reason; the errors of the stream, of `decode` and `end`.
   */
  async *read(
    stream: WireStream,
    signal: AbortSignal,
    intervalMs?: () => number,
  ): AsyncGenerator<GenerationEvent, void, void> {
    try {
      for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
        for (const event of this.decode(chunks)) {
          yield event;
          signal.throwIfAborted();
        }
        if (this.answer.stopString !== undefined) break;
        if (this.answer.hasOutput) stream.setMinimumInterval(intervalMs?.() ?? minBatchMs);
      }
      yield this.end();
    } catch (error) {
      const { reasoningTokens } = this;
      if (this.answer.hasOutput)
        yield { type: 'generation.cut', usage: this.usage(), reasoningTokens };
      throw error;
    } finally {
      stream.close();
    }
  }

  /**
   * Decodes new bytes and returns their events in order.
   *
   * @throws The dialect's `broken` for an event that is not JSON.
   */
  decode(chunks: readonly Buffer[]): readonly GenerationEvent[] {
    this.#readAt = performance.now();
    for (const chunk of chunks) this.#parser.feed(this.#utf8.write(chunk));
    return this.answer.take();
  }

  /**
   * Returns the last event, after all bytes have been decoded.
   *
   * @throws The error that the server reported; the dialect's `cut` if the stream ended early.
   */
  end(): Extract<GenerationEvent, { type: 'generation.end' }> {
    if (this.#failure !== undefined) throw this.#failure;
    // Some servers give no reason for the end, even if the answer has no tokens.
    const isEnd = this.answer.stopString !== undefined || this.#isMalformed || this.#hasEnded;
    if (!isEnd) throw this.#dialect.failures.cut();
    const reason = this.#stopReason();
    const { countsReasoning } = this.#dialect;
    // If the server announced a call but sent none, it could not parse the call.
    const isCall =
      this.#finish?.finish_reason === 'tool_calls' && this.answer.stopString === undefined;
    const lacksCall = isCall && this.answer.callIds.length === 0;
    return {
      type: 'generation.end',
      stopReason: reason,
      ...(reason === 'stopStringFound' ? omitUndefined({ stopString: this.#stopString() }) : {}),
      usage: this.usage(),
      ...(countsReasoning ? { reasoningTokens: this.reasoningTokens } : {}),
      isMalformed: this.#isMalformed || lacksCall,
    };
  }

  /** The server's figures, or our own where the server reports none. */
  usage(): GenerationUsage {
    const usage = this.#usage;
    const timings = this.#timings;
    const firstTokenAt = this.#firstTokenAt ?? this.#readAt;
    const generationMs = this.#readAt - firstTokenAt;
    const timedPrompt =
      timings?.prompt_n === undefined ? undefined : timings.prompt_n + (timings.cache_n ?? 0);
    const drafted = timings?.draft_n;
    return {
      promptTokens:
        timedPrompt ??
        usage?.prompt_tokens ??
        this.#progress?.total ??
        estimateTokens(this.#request),
      cachedTokens:
        timings?.cache_n ??
        usage?.prompt_tokens_details?.cached_tokens ??
        this.#progress?.cache ??
        0,
      completionTokens: timings?.predicted_n ?? usage?.completion_tokens ?? this.#deltaCount,
      promptMs: timings?.prompt_ms ?? firstTokenAt - this.#startedAt,
      generationMs: timings?.predicted_ms ?? (generationMs < minGenerationMs ? 0 : generationMs),
      ...(drafted === undefined
        ? {}
        : {
            drafts: { proposedTokens: drafted, acceptedTokens: timings?.draft_n_accepted ?? 0 },
          }),
    };
  }

  #parse(data: string): StreamEvent {
    try {
      const event: unknown = JSON.parse(data);
      if (typeof event === 'object' && event !== null) return event;
    } catch {
      // Text that is not JSON is reported by the throw after this block.
    }
    throw this.#dialect.failures.broken('it sent an event that is not JSON');
  }

  #accept(event: StreamEvent): void {
    if (event.error !== undefined && event.error !== null) {
      this.#acceptError(event.error);
      return;
    }
    if (this.#modelId !== undefined) assertModel(event.model, this.#modelId, this.#dialect);
    const choice = event.choices?.[0] ?? undefined;
    this.#acceptText(event, choice);
    // Even after a stop string, this event's token counts are used.
    if (event.timings) this.#timings = event.timings;
    if (event.usage) this.#usage = event.usage;
    if (event.prompt_progress) {
      const { processed, cache, total } = (this.#progress = event.prompt_progress);
      this.answer.addEvent({
        type: 'prompt.progress',
        processedTokens: processed,
        cachedTokens: cache,
        totalTokens: total,
      });
    }
    if (choice?.finish_reason) {
      this.#finish = choice;
      const native = event['__verbose'];
      this.#native = native;
      const isCut =
        native === undefined ? choice.finish_reason === 'length' : native.stop_type === 'limit';
      this.#acceptEnd(isCut);
    } else if (event.stop === true) {
      this.#native = event;
      this.#acceptEnd(event.stop_type === 'limit');
    }
  }

  #acceptText(event: StreamEvent, choice: WireChoice | undefined): void {
    const delta = choice?.delta;
    const reasoning = textOf(delta?.reasoning_content) || textOf(delta?.reasoning);
    if (reasoning) {
      this.#noteDelta();
      this.#reasoningCount += 1;
      this.answer.addReasoning(reasoning);
    }
    const content = textOf(delta?.content) || textOf(choice?.text) || textOf(event.content);
    if (content) {
      this.#noteDelta();
      const { topLogprobs } = this.#request;
      const logprobs = topLogprobs === undefined ? none : readLogprobs(event, choice, topLogprobs);
      if (this.answer.addContent(content, logprobs)) this.#reasoningCount += 1;
    }
    const calls = delta?.tool_calls;
    if (Array.isArray(calls) && calls.length > 0 && this.answer.stopString === undefined) {
      this.#noteDelta();
      this.answer.addCallDeltas(calls);
    }
  }

  #noteDelta(): void {
    this.#deltaCount += 1;
    this.#firstTokenAt ??= this.#readAt;
  }

  #acceptEnd(isCut: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.answer.end(isCut);
  }

  /**
   * Handles an `error` event. If the server could not parse an answer that it has delivered, the answer is kept and
   * marked as malformed (https://github.com/ggml-org/llama.cpp/issues/27733). `end` throws all other errors, after
   * the events that came before them.
   */
  #acceptError(error: unknown): void {
    const { failures } = this.#dialect;
    const wire = readWireError(error);
    const isUnparsed = failures.isParseFailure(wire);
    // The text that was held is a part of the answer.
    if (isUnparsed) this.#acceptEnd(false);
    if (isUnparsed && this.answer.hasAnswer) this.#isMalformed = true;
    else this.#failure ??= failures.reported(wire);
  }

  #stopReason() {
    if (this.answer.stopString !== undefined) return 'stopStringFound';
    const hasToolCalls = this.answer.callIds.length > 0;
    const { stop = [] } = this.#request;
    const native = this.#native ?? this.#derivedStop();
    if (native !== undefined) return nativeStopReason(native, stop, hasToolCalls);
    const completionTokens = this.#usage?.completion_tokens;
    return stopReason(this.#finish ?? {}, this.#request, hasToolCalls, completionTokens);
  }

  /** The reason for a build of the server that does not report its own. */
  #derivedStop(): NativeStop | undefined {
    if (!this.#dialect.explainsLimit) return undefined;
    return { stop_type: this.#finish?.finish_reason === 'length' ? 'limit' : 'eos' };
  }

  #stopString(): string | undefined {
    const end = { ...this.#finish, ...this.#native };
    return this.answer.stopString ?? foundStopString(end, this.#request.stop ?? []);
  }
}

const none = [] as const;

/**
 * @param expected Undefined: any model.
 * @throws The dialect's `broken` if another model answers, because the server was restarted with that model.
 */
export function assertModel(
  answering: unknown,
  expected: string | undefined,
  { failures }: WireDialect,
): void {
  if (expected === undefined || typeof answering !== 'string' || answering === expected) return;
  throw failures.broken(`it serves the model "${answering}" in place of "${expected}"`);
}

/**
 * Why a generation stopped, from llama-server's native `stop_type`, `stopping_word` and `truncated`. Chat templates
 * have their own stop words, which end a turn like the end-of-text token. So only words that the request named count
 * as stop strings.
 */
export function nativeStopReason(
  wire: NativeStop,
  stopStrings: readonly string[],
  hasToolCalls: boolean,
): EngineStopReason {
  if (wire.stop_type === 'limit') {
    return wire.truncated === true ? 'contextLengthReached' : 'maxPredictedTokensReached';
  }
  if (wire.stop_type === 'word' && stopStrings.includes(wire.stopping_word ?? '')) {
    return 'stopStringFound';
  }
  return hasToolCalls ? 'toolCalls' : 'eosFound';
}

/**
 * Why a generation stopped, from OpenAI's `finish_reason`, and from the stop string that vLLM and SGLang name.
 *
 * @param completionTokens Undefined if the server did not count them.
 */
export function stopReason(
  choice: WireChoice,
  { maxTokens, stop = [] }: Pick<GenerationRequest, 'maxTokens' | 'stop'>,
  hasToolCalls: boolean,
  completionTokens: number | undefined,
): EngineStopReason {
  if (hasToolCalls) return 'toolCalls';
  if (choice.finish_reason === 'length') {
    const isFull = maxTokens === undefined || (completionTokens ?? maxTokens) < maxTokens;
    return isFull ? 'contextLengthReached' : 'maxPredictedTokensReached';
  }
  return foundStopString(choice, stop) === undefined ? 'eosFound' : 'stopStringFound';
}

/** The stop string of the request that ended a generation, if the server names it. */
export function foundStopString(
  end: WireChoice & NativeStop,
  stopStrings: readonly string[],
): string | undefined {
  const found = end.stopping_word ?? end.stop_reason ?? end.matched_stop;
  return stopStrings.find((stopString) => stopString === found);
}

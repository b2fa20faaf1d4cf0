import { createParser } from 'eventsource-parser';
import { StringDecoder } from 'node:string_decoder';
import { omitUndefined } from '../../../omit-undefined.ts';
import type {
  EngineStopReason,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../../engine.ts';
import { EventBatch } from '../llama-server/event-batch.ts';
import { CallDeltas } from './call-deltas.ts';
import { toTextLogprobs, toTokenLogprobs } from './logprobs.ts';
import { estimateTokens } from './token-estimate.ts';
import { streamedFailure, UpstreamBroken, UpstreamCut } from './upstream-failure.ts';
import type { WireChoice, WireEvent, WireUsage } from './wire-chunk.ts';

/** Far above the size of any event; limits memory if a line never ends. */
const maxEventCharacters = 16 * 1024 * 1024;

/** Converts the server-sent events of one generation, chat or text, to generation events. */
export class RemoteStreamDecoder {
  readonly #request: GenerationRequest;
  readonly #batch = new EventBatch();
  readonly #utf8 = new StringDecoder('utf8');
  readonly #calls = new CallDeltas();
  readonly #startedAt = performance.now();
  readonly #parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => {
      if (data === '[DONE]') this.#isDone = true;
      else this.#accept(parseEvent(data));
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        throw new UpstreamBroken('an event is too long');
    },
  });
  #firstTokenAt: number | undefined;
  #usage: WireUsage | undefined;
  #deltaCount = 0;
  #reasoningCount = 0;
  #finish: WireChoice | undefined;
  #isDone = false;
  #failure: Error | undefined;

  constructor(request: GenerationRequest) {
    this.#request = request;
  }

  /** Whether the model has generated anything yet. */
  get hasOutput(): boolean {
    return this.#firstTokenAt !== undefined;
  }

  /** Whether the server has said why the generation ended. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** Tokens of the reasoning so far; those that arrived, if the server does not count them. */
  get reasoningTokens(): number {
    return this.#usage?.completion_tokens_details?.reasoning_tokens ?? this.#reasoningCount;
  }

  /**
   * Decodes new bytes and returns their events in order.
   *
   * @throws UpstreamBroken for what is not an event.
   */
  decode(chunks: readonly Buffer[]): readonly GenerationEvent[] {
    for (const chunk of chunks) this.#parser.feed(this.#utf8.write(chunk));
    return this.#batch.take();
  }

  /**
   * Returns the last event, after all bytes have been decoded.
   *
   * @throws UpstreamBroken if the stream was cut; the error that the server reported in it.
   */
  end(): Extract<GenerationEvent, { type: 'generation.end' }> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#finish === undefined) {
      // Some servers end a stream of text completions without a reason.
      if (!this.#isDone || !this.hasOutput) throw new UpstreamCut();
    }
    const stopReason = this.#stopReason();
    return {
      type: 'generation.end',
      stopReason,
      ...omitUndefined({
        stopString: stopReason === 'stopStringFound' ? this.#stopString() : undefined,
      }),
      usage: this.usage(),
      reasoningTokens: this.reasoningTokens,
      // A server that leaves out a call which it could not parse.
      isMalformed: this.#finish?.finish_reason === 'tool_calls' && this.#calls.count === 0,
    };
  }

  /** What the server counted; without its numbers, what arrived. */
  usage(): GenerationUsage {
    const now = performance.now();
    const firstTokenAt = this.#firstTokenAt ?? now;
    return {
      promptTokens: this.#usage?.prompt_tokens ?? estimateTokens(this.#request),
      cachedTokens: this.#usage?.prompt_tokens_details?.cached_tokens ?? 0,
      completionTokens: this.#usage?.completion_tokens ?? this.#deltaCount,
      promptMs: firstTokenAt - this.#startedAt,
      generationMs: now - firstTokenAt,
    };
  }

  #accept(event: WireEvent): void {
    if (event.error !== undefined && event.error !== null) {
      this.#failure ??= streamedFailure(event.error);
      return;
    }
    if (event.usage) this.#usage = event.usage;
    const choice = event.choices?.[0];
    if (choice === undefined || choice === null) return;
    this.#acceptChoice(choice);
    if (choice.finish_reason) this.#finish = choice;
  }

  #acceptChoice({ delta, text, logprobs }: WireChoice): void {
    const reasoning = delta?.reasoning_content || delta?.reasoning;
    if (reasoning) {
      this.#reasoningCount += 1;
      this.#noteDelta();
      this.#batch.addText('reasoning.delta', reasoning);
    }
    const content = delta?.content || text;
    if (content) {
      this.#noteDelta();
      const top = this.#request.topLogprobs ?? 0;
      const tokens =
        this.#request.kind === 'chat'
          ? toTokenLogprobs(logprobs?.content, top)
          : toTextLogprobs(logprobs, top);
      if (this.#request.topLogprobs === undefined || tokens.length === 0) {
        this.#batch.addText('content.delta', content);
      } else {
        this.#batch.add({ type: 'content.delta', text: content, logprobs: tokens });
      }
    }
    for (const event of this.#calls.accept(delta?.tool_calls ?? [])) {
      this.#noteDelta();
      this.#batch.add(event);
    }
  }

  #noteDelta(): void {
    this.#deltaCount += 1;
    this.#firstTokenAt ??= performance.now();
  }

  #stopReason(): EngineStopReason {
    const { finish_reason: reason } = this.#finish ?? {};
    if (this.#calls.count > 0) return 'toolCalls';
    if (reason === 'length') {
      const { maxTokens } = this.#request;
      const isFull =
        maxTokens === undefined || (this.#usage?.completion_tokens ?? maxTokens) < maxTokens;
      return isFull ? 'contextLengthReached' : 'maxPredictedTokensReached';
    }
    return this.#stopString() === undefined ? 'eosFound' : 'stopStringFound';
  }

  #stopString(): string | undefined {
    const found = this.#finish?.stop_reason ?? this.#finish?.matched_stop;
    return this.#request.stop?.find((each) => each === found);
  }
}

function parseEvent(data: string): WireEvent {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event === 'object' && event !== null) return event;
  } catch {
    // Reported below.
  }
  throw new UpstreamBroken('it sent an event that is not JSON');
}

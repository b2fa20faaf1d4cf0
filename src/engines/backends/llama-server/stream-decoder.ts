import { createParser } from 'eventsource-parser';
import { StringDecoder } from 'node:string_decoder';
import { HearthError } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import type {
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
  TokenLogprob,
} from '../../engine.ts';
import { isParseFailure, streamFailure } from './engine-failure.ts';
import { EventBatch } from './event-batch.ts';
import { stopReason } from './stop-reason.ts';
import type {
  WireError,
  WireLogprob,
  WirePromptProgress,
  WireStop,
  WireTimings,
} from './stream-chunk.ts';

/** Far above the size of any event; limits memory if a line never ends. */
const maxEventCharacters = 16 * 1024 * 1024;

/**
 * Base of the chat and completion decoders: converts server-sent events to generation events,
 * prompt progress, usage and failures. A subclass decodes the chunks of its endpoint.
 */
export abstract class StreamDecoder<Chunk> {
  readonly #stopStrings: readonly string[];
  readonly #topLogprobs: number;
  readonly #batch = new EventBatch();
  readonly #utf8 = new StringDecoder('utf8');
  readonly #parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: (event) => {
      if (this.#isStopped || event.data === '[DONE]') return;
      this.acceptChunk(parseChunk(event.data) as Chunk);
    },
  });
  #timings: WireTimings = {};
  #progress: WirePromptProgress | undefined;
  #deltaCount = 0;
  #reasoningCount = 0;
  #stop: WireStop | undefined;
  #isStopped = false;
  #hasToolCalls = false;
  #isMalformed = false;
  #failure: HearthError | undefined;

  constructor(request: GenerationRequest) {
    this.#stopStrings = request.stop ?? [];
    this.#topLogprobs = request.topLogprobs ?? 0;
  }

  /** Whether the model has generated anything yet. */
  get hasOutput(): boolean {
    return this.#deltaCount > 0;
  }

  /** Whether a stop string was found, after which the rest of the stream does not count. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Tokens of the reasoning so far, as many as the engine sent deltas of it. */
  get reasoningTokens(): number {
    return this.#reasoningCount;
  }

  /** Decodes new bytes and returns their events in order. */
  decode(chunks: readonly Buffer[]): readonly GenerationEvent[] {
    for (const chunk of chunks) this.#parser.feed(this.#utf8.write(chunk));
    return this.#batch.take();
  }

  /**
   * Returns the last event, after all bytes have been decoded.
   *
   * @throws HearthError `crashed` if the stream was cut; the error that the engine reported inside it.
   */
  end(): Extract<GenerationEvent, { type: 'generation.end' }> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stop === undefined && !this.#isMalformed) {
      throw new HearthError('crashed', 'The engine stopped during the request.');
    }
    const stop = this.#stop ?? {};
    const reason = stopReason(stop, this.#stopStrings, this.#hasToolCalls);
    return {
      type: 'generation.end',
      stopReason: reason,
      ...(reason === 'stopStringFound' ? omitUndefined({ stopString: stop.stopping_word }) : {}),
      usage: this.usage(),
      isMalformed: this.#isMalformed,
    };
  }

  protected abstract acceptChunk(chunk: Chunk): void;

  /** Ends the generation, where the engine does not look for stop strings itself. */
  protected stopAt(stopString: string): void {
    this.#isStopped = true;
    this.#stop = { stop_type: 'word', stopping_word: stopString };
  }

  protected acceptStop(stop: WireStop): void {
    this.#stop = stop;
  }

  protected acceptText(
    type: 'reasoning.delta' | 'content.delta',
    text: string,
    logprobs?: readonly WireLogprob[] | null,
  ): void {
    this.#deltaCount += 1;
    if (type === 'reasoning.delta') this.#reasoningCount += 1;
    if (logprobs && logprobs.length > 0 && type === 'content.delta') {
      const tokens = logprobs.map((wire) => tokenLogprob(wire, this.#topLogprobs));
      this.#batch.add({ type, text, logprobs: tokens });
    } else {
      this.#batch.addText(type, text);
    }
  }

  protected acceptToolCall(delta: Extract<GenerationEvent, { type: 'toolCall.delta' }>): void {
    this.#deltaCount += 1;
    this.#hasToolCalls = true;
    this.#batch.add(delta);
  }

  protected acceptTimings(timings: WireTimings): void {
    this.#timings = timings;
  }

  protected acceptProgress(progress: WirePromptProgress): void {
    this.#progress = progress;
    this.#batch.add({
      type: 'prompt.progress',
      processedTokens: progress.processed,
      cachedTokens: progress.cache,
      totalTokens: progress.total,
    });
  }

  /**
   * An answer that the engine can't parse was still delivered: it is kept and marked
   * (https://github.com/ggml-org/llama.cpp/issues/27733). Without an answer this fails as other errors do, which are
   * thrown by `end`, after the events that came before them.
   */
  protected acceptError(error: WireError): void {
    if (this.#deltaCount > this.#reasoningCount && isParseFailure(error)) {
      this.#isMalformed = true;
    } else {
      this.#failure ??= streamFailure(error);
    }
  }

  /** Without the engine's own numbers (after a parse failure, or before the end), what the stream showed. */
  usage(): GenerationUsage {
    const { cache_n: cached, prompt_n: computed, predicted_n: predicted } = this.#timings;
    const { draft_n: proposedTokens, draft_n_accepted: acceptedTokens = 0 } = this.#timings;
    return {
      promptTokens:
        computed === undefined ? (this.#progress?.total ?? 0) : computed + (cached ?? 0),
      cachedTokens: cached ?? this.#progress?.cache ?? 0,
      completionTokens: predicted ?? this.#deltaCount,
      promptMs: this.#timings.prompt_ms ?? 0,
      generationMs: this.#timings.predicted_ms ?? 0,
      ...(proposedTokens === undefined ? {} : { drafts: { proposedTokens, acceptedTokens } }),
    };
  }
}

function tokenLogprob(wire: WireLogprob, topLogprobs: number): TokenLogprob {
  return {
    token: wire.token,
    logprob: wire.logprob,
    bytes: wire.bytes ?? null,
    topLogprobs: (wire.top_logprobs ?? []).slice(0, topLogprobs).map((top) => ({
      token: top.token,
      logprob: top.logprob,
      bytes: top.bytes ?? null,
    })),
  };
}

function parseChunk(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw new HearthError('internal', 'The engine sent an event that is not JSON.', {
      cause: error,
    });
  }
}

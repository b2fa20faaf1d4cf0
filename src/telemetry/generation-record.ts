export type Operation = 'chat' | 'completion' | 'embedding' | 'rerank' | 'transcription';

/** Other operations have no output of tokens. */
export function generatesText(operation: Operation): boolean {
  return operation === 'chat' || operation === 'completion';
}

/** Why the engine read a part of a prompt that an earlier prompt had in the same place, or nearly so. */
export interface Reread {
  readonly cause:
    | 'tools_changed'
    | 'system_prompt_changed'
    | 'message_changed'
    | 'messages_dropped'
    | 'prompt_changed'
    | 'instance_changed'
    | 'cache_displaced';
  /** A sentence without texts of the prompt. */
  readonly message: string;
  /** Tokens that were read again, estimated from characters. */
  readonly tokens: number;
}

/** How a generation ended. */
interface GenerationOutcome {
  readonly usage?: {
    readonly promptTokens: number;
    readonly cachedTokens?: number;
    readonly completionTokens?: number;
    readonly generationMs?: number;
    readonly drafts?: { readonly proposedTokens: number; readonly acceptedTokens: number };
  };
  readonly stopReason?: string;
  /** Why the engine read tokens again that an earlier prompt had too. */
  readonly reread?: Reread;
  readonly hasFailed?: boolean;
}

/** Texts of a generation; kept only if `log.prompts` is on. */
interface GenerationTexts {
  prompt: string;
  output: string;
  toolCalls: string;
  isTruncated: boolean;
}

const maxTextLength = 256 * 1024;

interface GenerationOptions {
  readonly operation: Operation;
  readonly spanId: string;
  readonly promptSpanId: string;
  readonly keepsTexts: boolean;
  /** @param now A value of `performance.now()`. */
  readonly onFirstToken: (now: number) => void;
  readonly onEnd: (generation: GenerationRecord) => void;
}

/** One run of the engine for a request. Times are values of `performance.now()`. */
export class GenerationRecord {
  readonly operation: Operation;
  /** Id of its span; empty if the request is not traced. */
  readonly spanId: string;
  /** Id of the span for the processing of its prompt. */
  readonly promptSpanId: string;
  readonly startMs = performance.now();
  firstTokenMs: number | undefined;
  endMs: number | undefined;
  /** Pieces of output that have arrived: usually tokens. */
  tokenCount = 0;
  readonly intervals = new TokenIntervals();
  readonly texts: GenerationTexts | undefined;
  outcome: GenerationOutcome = {};
  readonly #options: GenerationOptions;
  #lastTokenMs = 0;

  constructor(options: GenerationOptions) {
    this.operation = options.operation;
    this.spanId = options.spanId;
    this.promptSpanId = options.promptSpanId;
    this.texts = options.keepsTexts
      ? { prompt: '', output: '', toolCalls: '', isTruncated: false }
      : undefined;
    this.#options = options;
  }

  /** Called for each piece of output. */
  noteToken(): void {
    const now = performance.now();
    this.tokenCount += 1;
    if (this.firstTokenMs === undefined) {
      this.firstTokenMs = now;
      this.#options.onFirstToken(now);
    } else this.intervals.add((now - this.#lastTokenMs) / 1000);
    this.#lastTokenMs = now;
  }

  /** Adds to the texts, up to their limit. */
  noteText(kind: 'prompt' | 'output' | 'toolCalls', text: string): void {
    if (this.texts === undefined) return;
    const left = maxTextLength - this.texts[kind].length;
    this.texts[kind] += text.slice(0, left);
    if (text.length > left) this.texts.isTruncated = true;
  }

  /** Usage so far as it is known: a failed generation has the output that arrived. */
  get tokens() {
    const { promptTokens = 0, cachedTokens = 0, completionTokens } = this.outcome.usage ?? {};
    const written = generatesText(this.operation) ? this.tokenCount : 0;
    return { prompt: promptTokens, cached: cachedTokens, completion: completionTokens ?? written };
  }

  /** A second call does nothing. */
  end(outcome: GenerationOutcome): void {
    if (this.endMs !== undefined) return;
    this.endMs = performance.now();
    this.outcome = outcome;
    this.#options.onEnd(this);
  }
}

/** Upper bounds of the buckets in seconds, as vLLM has them for its inter-token latency. */
export const intervalBounds = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
] as const;

/** A histogram of the time between tokens. Adding an interval allocates nothing. */
export class TokenIntervals {
  /** One count for each bound, and one for longer intervals. */
  readonly counts = new Float64Array(intervalBounds.length + 1);
  sumSeconds = 0;

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < intervalBounds.length && seconds > (intervalBounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumSeconds += seconds;
  }

  merge({ counts, sumSeconds }: TokenIntervals): void {
    for (const [bucket, count] of counts.entries()) {
      this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    }
    this.sumSeconds += sumSeconds;
  }
}

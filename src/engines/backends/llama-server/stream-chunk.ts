/**
 * The events of llama-server's streams, limited to the fields that Hearth reads (tools/server/README.md of
 * llama.cpp). Every field is optional: builds differ in what they report.
 */

export interface WireTimings {
  /** Prompt tokens from the cache, and computed prompt tokens. */
  readonly cache_n?: number;
  readonly prompt_n?: number;
  readonly prompt_ms?: number;
  readonly predicted_n?: number;
  readonly predicted_ms?: number;
  /** Drafted tokens, and accepted ones; absent where nothing was drafted. */
  readonly draft_n?: number;
  readonly draft_n_accepted?: number;
}

export interface WirePromptProgress {
  readonly total: number;
  readonly cache: number;
  /** Processed tokens, including cached ones. */
  readonly processed: number;
}

export interface WireLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
  readonly top_logprobs?: readonly WireLogprob[];
}

export interface WireStop {
  readonly stop_type?: 'none' | 'eos' | 'word' | 'limit';
  readonly stopping_word?: string;
  /** True if the context was full. */
  readonly truncated?: boolean;
}

export interface WireError {
  readonly code?: number;
  readonly type?: string;
  readonly message?: string;
  readonly n_prompt_tokens?: number;
  readonly n_ctx?: number;
}

/** One event of `/v1/chat/completions`. */
export interface ChatChunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason?: 'stop' | 'length' | 'tool_calls' | null;
    readonly logprobs?: { readonly content?: readonly WireLogprob[] | null } | null;
  }[];
  readonly __verbose?: WireStop;
  readonly timings?: WireTimings;
  readonly prompt_progress?: WirePromptProgress;
  readonly error?: WireError;
}

/** One event of `/completion` and `/infill`. */
export interface CompletionChunk extends WireStop {
  readonly content?: string;
  readonly stop?: boolean;
  readonly completion_probabilities?: readonly WireLogprob[];
  readonly timings?: WireTimings;
  readonly prompt_progress?: WirePromptProgress;
  readonly error?: WireError;
}

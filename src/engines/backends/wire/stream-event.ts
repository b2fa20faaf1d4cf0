/**
 * One event of a stream of chat or text completions, limited to the fields that Hearth reads: OpenAI's, and the
 * additions of vLLM, SGLang and llama-server (tools/server/README.md of llama.cpp). Servers differ: every field may
 * be missing, and a value may have another type.
 */
export interface StreamEvent extends NativeStop {
  /** The model that answers. */
  readonly model?: string | null;
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: WireUsage | null;
  readonly error?: unknown;
  /** From llama-server; the last ones count. */
  readonly timings?: WireTimings | null;
  readonly prompt_progress?: WirePromptProgress | null;
  /** From llama-server, at the end of a chat if the request is `verbose`. */
  readonly __verbose?: NativeStop;
  /** In llama-server's own text completions. */
  readonly content?: string;
  readonly stop?: boolean;
  readonly completion_probabilities?: readonly WireTokenLogprob[];
}

export interface WireChoice {
  readonly delta?: WireDelta | null;
  /** Text of a text completion. */
  readonly text?: string | null;
  readonly finish_reason?: string | null;
  /** From vLLM: the stop string or the id of the token that ended the generation. */
  readonly stop_reason?: string | number | null;
  /** From SGLang: like `stop_reason`. */
  readonly matched_stop?: string | number | null;
  readonly logprobs?:
    | ({ readonly content?: readonly WireTokenLogprob[] | null } & WireTextLogprobs)
    | null;
}

interface WireDelta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly (WireCallDelta | null)[] | null;
}

export interface WireCallDelta {
  readonly index?: number;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

export interface WireUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
}

export interface WireTokenLogprob {
  readonly token?: string;
  readonly logprob?: number;
  readonly bytes?: readonly number[] | null;
  readonly top_logprobs?: readonly WireTokenLogprob[];
}

/** Log probabilities of a text completion, as parallel lists. */
export interface WireTextLogprobs {
  readonly tokens?: readonly string[];
  readonly token_logprobs?: readonly (number | null)[];
  readonly top_logprobs?: readonly (Readonly<Record<string, number>> | null)[] | null;
}

/** llama-server's reason for the end of a generation. */
export interface NativeStop {
  readonly stop_type?: 'none' | 'eos' | 'word' | 'limit';
  readonly stopping_word?: string;
  /** True if the context was full. */
  readonly truncated?: boolean;
}

export interface WireTimings {
  /** Prompt tokens from the cache; `prompt_n` counts the computed ones. */
  readonly cache_n?: number;
  readonly prompt_n?: number;
  readonly prompt_ms?: number;
  readonly predicted_n?: number;
  readonly predicted_ms?: number;
  /** Drafted tokens; `draft_n_accepted` counts the accepted ones. Absent if nothing was drafted. */
  readonly draft_n?: number;
  readonly draft_n_accepted?: number;
}

export interface WirePromptProgress {
  readonly total: number;
  readonly cache: number;
  /** Processed tokens, including cached ones. */
  readonly processed: number;
}

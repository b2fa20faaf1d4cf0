/**
 * The events of the streams of `/chat/completions` and `/completions`, limited to the fields that Hearth reads. Servers
 * differ: every field may be missing, and a value may have another type.
 */

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

/** Log probabilities of a text completion. */
export interface WireTextLogprobs {
  readonly tokens?: readonly string[];
  readonly token_logprobs?: readonly (number | null)[];
  readonly top_logprobs?: readonly (Readonly<Record<string, number>> | null)[] | null;
}

export interface WireCallDelta {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
}

interface WireDelta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly WireCallDelta[] | null;
}

export interface WireChoice {
  readonly delta?: WireDelta | null;
  /** Of a text completion. */
  readonly text?: string | null;
  readonly finish_reason?: string | null;
  /** vLLM: the stop string or the id of the token that ended the generation. */
  readonly stop_reason?: string | number | null;
  /** SGLang: like `stop_reason`. */
  readonly matched_stop?: string | number | null;
  readonly logprobs?:
    | ({ readonly content?: readonly WireTokenLogprob[] | null } & WireTextLogprobs)
    | null;
}

export interface WireEvent {
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: WireUsage | null;
  readonly error?: unknown;
}

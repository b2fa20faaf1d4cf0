import type { RequestContext } from '../request/request-context.ts';

/**
 * The interface of an inference engine. An `Engine` serves one loaded model. The interface is the same for a
 * child process on this machine and for a server elsewhere.
 */

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image that Hearth has checked and re-encoded: always a `data:` URL, never a remote one. */
export interface ImagePart {
  readonly type: 'image';
  readonly dataUrl: string;
}

export type ContentPart = TextPart | ImagePart;

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; it may not parse. */
  readonly argumentsJson: string;
}

export type EngineMessage =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string | readonly ContentPart[];
    };

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** Fields left out take the model's own defaults, else the engine's. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly repeatPenalty?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  /** Token id to bias added to its logit. */
  readonly logitBias?: Readonly<Record<string, number>>;
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> };

export type ReasoningLevel = 'off' | 'low' | 'medium' | 'high' | 'on';

interface GenerationLimits {
  readonly sampling: Sampling;
  /**
   * Most tokens to generate, at least 1 (the engine generates one for 0 too); absent: until the model stops
   * or the context is full.
   */
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** How many alternatives to report for each token; absent: no log probabilities. */
  readonly topLogprobs?: number;
}

export interface ChatGeneration extends GenerationLimits {
  readonly kind: 'chat';
  readonly messages: readonly EngineMessage[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly reasoning?: ReasoningLevel;
  readonly responseFormat?: ResponseFormat;
}

export interface CompletionGeneration extends GenerationLimits {
  readonly kind: 'completion';
  /** Raw prompt, no chat template. */
  readonly prompt: string;
  /** Text after the gap to fill; only where the model supports infill. */
  readonly suffix?: string;
}

export type GenerationRequest = ChatGeneration | CompletionGeneration;

export type EngineStopReason =
  | 'eosFound'
  | 'stopStringFound'
  | 'maxPredictedTokensReached'
  | 'contextLengthReached'
  | 'toolCalls';

export interface GenerationUsage {
  /** All tokens of the prompt, those from the cache included. */
  readonly promptTokens: number;
  /** How many of them were taken from the engine's cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly promptMs: number;
  readonly generationMs: number;
}

/** Log probabilities in OpenAI's chat shape: one entry a token. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
  readonly topLogprobs: readonly {
    readonly token: string;
    readonly logprob: number;
    readonly bytes: readonly number[] | null;
  }[];
}

/**
 * Exactly one `generation.end` comes last. Where the iteration throws after tokens were generated,
 * `generation.cut` comes before.
 */
export type GenerationEvent =
  | {
      readonly type: 'prompt.progress';
      readonly processedTokens: number;
      readonly cachedTokens: number;
      readonly totalTokens: number;
    }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | {
      readonly type: 'content.delta';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | {
      readonly type: 'toolCall.delta';
      readonly index: number;
      /** Given by the first delta of a call. */
      readonly id?: string;
      readonly name?: string;
      readonly argumentsJson: string;
    }
  | { readonly type: 'generation.cut'; readonly usage: GenerationUsage }
  | {
      readonly type: 'generation.end';
      readonly stopReason: EngineStopReason;
      readonly usage: GenerationUsage;
      /** The engine could not parse the model's last tool call or message; what arrived was kept. */
      readonly isMalformed: boolean;
    };

export interface Embeddings {
  /** One vector for each input, in order. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

/** What a running engine is and can do. */
export interface EngineCapabilities {
  /** `llama.cpp-<platform>-<arch>-<backend>` */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly supportedFormats: readonly string[];
  /** Tokens that one request may use, prompt and answer together. */
  readonly contextLength: number;
}

/** The methods that a request uses. All of them throw the reason of the context's signal when it aborts. */
export interface Engine {
  /**
   * Generates text. An aborted signal stops the engine at once.
   *
   * @throws HearthError `context_length_exceeded`, `infill_unsupported`, `invalid_value` where the engine
   *   refuses the request; `crashed` where the engine stops during the generation.
   */
  generate(request: GenerationRequest, context: RequestContext): AsyncIterable<GenerationEvent>;

  /**
   * Embeds texts, each at most one context long.
   *
   * @throws HearthError `context_length_exceeded`, `crashed`.
   */
  embed(inputs: readonly string[], context: RequestContext): Promise<Embeddings>;

  /** Counts the tokens of a text, without special tokens. */
  countTokens(text: string, context: RequestContext): Promise<number>;
}

/** How an engine ended. */
export interface EngineExit {
  /** Null where a signal ended the process, or where the engine is not a process of this machine. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** For people: the line of the error output that gives the cause, else the signal or the exit code. */
  readonly reason: string;
}

export interface EngineStats {
  readonly pid?: number;
  /** Absent where the platform does not report it. */
  readonly residentBytes?: number;
}

/** A running engine, whatever it runs as. */
export interface EngineHandle {
  readonly engine: Engine;
  readonly capabilities: EngineCapabilities;
  /** Settles when the engine has ended, for whatever reason; never rejects. */
  readonly closed: Promise<EngineExit>;
  /** Stops the engine. Resolves when its memory is free. */
  stop(): Promise<void>;
  /** Absent for an engine without a process on this machine. */
  stats?(): Promise<EngineStats>;
}

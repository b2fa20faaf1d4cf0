import type { RequestContext } from '../kernel/request/request-context.ts';

/** The interface of an inference engine, a local process or a remote server, which serves one loaded model. */

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image, decoded and re-encoded by Hearth: always a `data:` URL, never a remote one. */
export interface ImagePart {
  readonly type: 'image';
  readonly dataUrl: string;
}

/** Audio, re-encoded by Hearth: mono WAV at 16,000 Hz, or MP3 frames, as a `data:` URL. */
export interface AudioPart {
  readonly type: 'audio';
  readonly dataUrl: string;
}

export function audioFormat({ dataUrl }: AudioPart): 'mp3' | 'wav' {
  return dataUrl.startsWith('data:audio/mpeg') ? 'mp3' : 'wav';
}

export type ContentPart = TextPart | ImagePart | AudioPart;

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model generated it; may be invalid. */
  readonly argumentsJson: string;
}

export type EngineMessage =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** Only in the last message, which the engine then continues. */
      readonly reasoning?: string;
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string | readonly ContentPart[];
    };

export function hasMedia(messages: readonly EngineMessage[]): boolean {
  return messages.some(
    ({ content }) => typeof content !== 'string' && content.some(({ type }) => type !== 'text'),
  );
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** Sampling parameters. Absent fields take the model's defaults, else the engine's. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly repeatPenalty?: number;
  /** Number of last tokens that `repeatPenalty` considers; 0: none, -1: the whole context. */
  readonly repeatLastTokens?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  /** Maps token ids to biases that are added to their logits. */
  readonly logitBias?: Readonly<Record<string, number>>;
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> };

export type ReasoningLevel = 'off' | 'low' | 'medium' | 'high' | 'on';

/** Slot for a prompt, and rules for saving its state. */
interface PromptPlacement {
  /** Slot of the engine, from 0; absent: the engine chooses. */
  readonly slot?: number;
  /** True (the default) if tokens that the slot has already read may be reused. */
  readonly reusesSlot?: boolean;
  /** Id of the stored response; absent: nothing of the generation may be written to disk. */
  readonly responseId?: string;
}

interface GenerationLimits extends PromptPlacement {
  /** Adapters that change the weights; absent: none. */
  readonly adapters?: readonly AdapterScale[];
  readonly sampling: Sampling;
  /**
   * Maximum number of tokens to generate, at least 1 (the engine treats 0 as 1); absent: until the model stops
   * or the context is full.
   */
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Number of alternatives to report for each token; absent: no log probabilities. */
  readonly topLogprobs?: number;
}

/** An adapter as an engine applies it. */
export interface AdapterScale {
  /** `AdapterEntry.id`. */
  readonly id: string;
  /** Never 0. */
  readonly scale: number;
}

export interface ChatGeneration extends GenerationLimits {
  readonly kind: 'chat';
  readonly messages: readonly EngineMessage[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  /** True if one answer may call several tools; absent: the chat template decides. */
  readonly callsInParallel?: boolean;
  readonly reasoning?: ReasoningLevel;
  /** Number of reasoning tokens after which the engine ends the reasoning and the model answers; absent: no limit. */
  readonly maxReasoningTokens?: number;
  readonly responseFormat?: ResponseFormat;
}

/** A text, or the ids of its tokens in the model's vocabulary. */
export type Prompt = string | readonly number[];

export interface CompletionGeneration extends GenerationLimits {
  readonly kind: 'completion';
  /** Raw prompt, without a chat template: a text, or the ids of its tokens. */
  readonly prompt: Prompt;
  /** Text after the gap; only if the model supports infill. */
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
  /** Prompt tokens, including cached ones. */
  readonly promptTokens: number;
  /** Prompt tokens that came from the engine's cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly promptMs: number;
  readonly generationMs: number;
  /** Absent if no tokens were drafted. */
  readonly drafts?: DraftCounts;
}

/** Number of tokens that speculation proposed, and how many of them were accepted. */
export interface DraftCounts {
  readonly proposedTokens: number;
  readonly acceptedTokens: number;
}

/** Log probabilities in OpenAI's chat shape: one entry per token. */
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

/** The last event is always a single `generation.end`, unless the iteration throws. */
export type GenerationEvent =
  | {
      readonly type: 'prompt.progress';
      readonly processedTokens: number;
      readonly cachedTokens: number;
      readonly totalTokens: number;
    }
  | {
      readonly type: 'reasoning.delta';
      readonly text: string;
      /** Number of the engine's deltas in this event, which are tokens for most engines; absent: one. */
      readonly tokens?: number;
    }
  | {
      readonly type: 'content.delta';
      readonly text: string;
      /** As in `reasoning.delta`. */
      readonly tokens?: number;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | {
      readonly type: 'toolCall.delta';
      readonly index: number;
      /** Set in the first delta of a call. */
      readonly id?: string;
      readonly name?: string;
      readonly argumentsJson: string;
    }
  | {
      readonly type: 'generation.cut';
      readonly usage: GenerationUsage;
      /** Reasoning tokens, included in completionTokens. */
      readonly reasoningTokens: number;
    }
  | {
      readonly type: 'generation.end';
      readonly stopReason: EngineStopReason;
      /** The stop string of the request that ended the generation. */
      readonly stopString?: string;
      readonly usage: GenerationUsage;
      /** Reasoning tokens, included in completionTokens; absent if the engine does not count them. */
      readonly reasoningTokens?: number;
      /** True if the engine could not parse the last tool call or message. The text received so far is kept. */
      readonly isMalformed: boolean;
    };

export interface Embeddings {
  /** One vector per input, in order. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

export interface Relevance {
  /** One score per document, in order, as computed by the model's rank head. */
  readonly scores: readonly number[];
  /** True if the scores are from 0 to 1; absent: the model's architecture decides. */
  readonly isNormalized?: boolean;
  readonly promptTokens: number;
}

/** A form for OpenAI's audio endpoints. */
export interface AudioForm {
  readonly path: 'transcriptions' | 'translations';
  readonly file: { readonly name: string; readonly bytes: Buffer };
  /** The other form fields, except for the model, which the engine sets. */
  readonly fields: readonly (readonly [string, string])[];
}

/** A response that is passed on unchanged. */
export interface AudioAnswer {
  readonly contentType: string;
  readonly pieces: AsyncIterable<Buffer>;
}

/** Identity and capabilities of a running engine. */
export interface EngineCapabilities {
  /** `llama.cpp-<platform>-<arch>-<backend>` */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly supportedFormats: readonly string[];
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** True if the engine can't count tokens: `countTokens` and `countPromptTokens` then return estimates. */
  readonly estimatesTokens?: boolean;
}

/** The inference methods. All throw the reason of the context's signal when it aborts. */
export interface Engine {
  /**
   * Generates text. Aborting the signal stops the engine immediately.
   *
   * @throws HearthError `context_length_exceeded`, `infill_unsupported`, `invalid_value` if the engine
   *   refuses the request; `crashed` if the engine stops during the generation. CacheFullError.
   */
  generate(request: GenerationRequest, context: RequestContext): AsyncIterable<GenerationEvent>;

  /**
   * Embeds texts. Each must fit in the context.
   *
   * @throws HearthError `context_length_exceeded`, `invalid_value` if an id is not a token, `crashed`.
   */
  embed(inputs: readonly Prompt[], context: RequestContext): Promise<Embeddings>;

  /**
   * Scores documents by their relevance to a query. The query must fit in the context together with any single
   * document.
   *
   * @throws HearthError `context_length_exceeded`, `crashed`.
   */
  rank(query: string, documents: readonly string[], context: RequestContext): Promise<Relevance>;

  /**
   * Applies the chat template. Needs no slot. Undefined if the engine can't do this.
   *
   * @throws HearthError `invalid_value` if the template refuses the messages, `crashed`.
   */
  renderPrompt(request: ChatGeneration, context: RequestContext): Promise<string | undefined>;

  /** Counts the tokens of a text, without special tokens. Needs no slot. */
  countTokens(text: string, context: RequestContext): Promise<number>;

  /**
   * Counts the tokens of a whole prompt as `generate` would read it, including chat template, tools and images. The
   * count may exceed the context.
   *
   * @throws HearthError `invalid_value` if the engine refuses the request; `crashed`.
   */
  countPromptTokens(request: ChatGeneration, context: RequestContext): Promise<number>;

  /**
   * Sends a form with audio; absent if the engine has no endpoint for audio.
   *
   * @throws HearthError `upstream_error`, `upstream_unavailable`, and the errors of a refused request.
   */
  sendAudio?(form: AudioForm, context: RequestContext): Promise<AudioAnswer>;
}

/** Saves, restores and prefills slots. File names are relative to `LaunchSpec.slotFolder`. */
export interface EngineSlots {
  /**
   * Saves the slot to a file, once the slot is idle.
   *
   * @returns The number of tokens in the file.
   * @throws HearthError `invalid_value` if the file can't be written, `crashed`.
   */
  save(slot: number, fileName: string, signal: AbortSignal): Promise<number>;
  /**
   * Restores the slot from a file. The engine aborts on a truncated file and does not notice other damage.
   *
   * @returns The number of tokens in the restored slot.
   * @throws HearthError `invalid_value` if the file is missing or not a state, `crashed`.
   */
  restore(slot: number, fileName: string, signal: AbortSignal): Promise<number>;
  /**
   * Empties a slot, which must be idle.
   *
   * @throws HearthError `crashed`.
   */
  erase(slot: number, signal: AbortSignal): Promise<void>;
  /** Tokenizes a prompt; undefined if it contains more than text. */
  tokenize(request: GenerationRequest, signal: AbortSignal): Promise<readonly number[] | undefined>;
  /**
   * Reads the first tokens of a prompt into a slot. A generation in this slot then reads only the rest.
   *
   * @throws HearthError `crashed`; the signal's reason when aborted, once the engine's current step has ended.
   */
  read(
    placement: {
      readonly slot: number;
      readonly reusesSlot: boolean;
      readonly adapters: readonly AdapterScale[] | undefined;
    },
    tokens: readonly number[],
    signal: AbortSignal,
  ): Promise<{ readonly cachedTokens: number; readonly promptMs: number }>;
}

/** How an engine ended. */
export interface EngineExit {
  /** Null if a signal ended the process, or if the engine is not a process of this machine. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The cause as text: a line of the error output, else the signal or the exit code. */
  readonly reason: string;
  /** Set if the engine was killed for lack of memory: by Hearth's memory guard, or by the operating system. */
  readonly lackedMemory?: 'guard' | 'system';
  /** True if the engine ended while it restored a slot's state; then no request is the cause. */
  readonly wasRestoring?: boolean;
}

export interface EngineStats {
  readonly pid?: number;
  /** Absent if the platform does not report it. */
  readonly residentBytes?: number;
  /** The chosen speculation, if the load left the choice to Hearth. */
  readonly chosenSpeculation?: 'off' | 'ngram' | 'mtp' | 'draft';
}

/** A running engine, local or remote. */
export interface EngineHandle {
  readonly engine: Engine;
  readonly capabilities: EngineCapabilities;
  /** Resolves when the engine has ended for any reason; never rejects. */
  readonly closed: Promise<EngineExit>;
  /** Present if the engine was started with a folder for the states of its slots. */
  readonly slots?: EngineSlots;
  /** Stops the engine. Resolves when its memory is free. */
  stop(): Promise<void>;
  /** Absent for an engine without a process on this machine. */
  stats?(): Promise<EngineStats>;
}

import type { ChatGeneration, GenerationRequest, ToolDefinition } from '../../engine.ts';
import type { WireError } from './wire-error.ts';

export type JsonSchema = ToolDefinition['parameters'];

/** Sampling parameters beyond OpenAI's API, with the names of a server. */
type ExtraSampling = Partial<
  Record<'topK' | 'minP' | 'repeatPenalty' | 'repeatLastTokens', string>
>;

/** `hearth`: the server does not get them, or does not tell which one it found. */
type StopStringOwner = 'server' | 'hearth';

/** How a server's API differs from OpenAI's chat and text completions. */
export interface WireDialect {
  /** Ends the message "`field` is not supported by ...". */
  readonly server: string;
  readonly paths: {
    readonly chat: string;
    readonly completion: string;
    readonly embeddings: string;
  };
  readonly fields: {
    readonly maxTokens: 'max_tokens' | 'n_predict';
    readonly completionLogprobs: 'logprobs' | 'n_probs';
    /** Absent: not sent. */
    readonly maxReasoningTokens?: 'thinking_budget_tokens';
    /** A parameter without a name is refused. */
    readonly sampling: ExtraSampling;
  };
  /** Fields that only this server has. */
  readonly ownFields?: (request: GenerationRequest) => object;
  /** Fewest alternatives that switch log probabilities on. */
  readonly minTopLogprobs: 0 | 1;
  readonly embeddingFormat: 'float' | 'base64';
  /** Features that are refused, with the reason; absent: none. */
  readonly lacks?: Readonly<Partial<Record<Feature, string>>>;
  /** Text completions also take token ids as prompt. */
  readonly readsTokenIds: boolean;
  /** Absent: text completions take no suffix. */
  readonly infill?: { readonly path: string; readonly prompt: string; readonly suffix: string };
  /** A field of OpenAI's API, or variables of the chat template. */
  readonly reasoning: 'effort' | 'template';
  /** `grammar`: Hearth forces calls by the schema of the answer. `ignored`: the server does not force any. */
  readonly toolChoice: 'server' | 'grammar' | 'ignored';
  /** Adapts schemas to what the server can enforce; absent: they are sent unchanged. */
  readonly schemas?: {
    tools(tools: readonly ToolDefinition[]): readonly ToolDefinition[];
    /** @throws HearthError `invalid_value` for a schema that would lose a constraint. */
    answer(schema: JsonSchema): JsonSchema;
  };
  readonly stopStrings: Readonly<Record<GenerationRequest['kind'], StopStringOwner>>;
  /** The server may leave the reasoning in the text, or line breaks around it. */
  readonly leavesReasoning: boolean;
  /**
   * Where the server may leave the markup of tool calls. A text that begins with markup shows that it does; otherwise,
   * the text may explain the markup.
   */
  readonly leavesCalls: (request: ChatGeneration) => 'anywhere' | 'atStart' | 'nowhere';
  /** The server says whether a limit was the request's or the context's. */
  readonly explainsLimit: boolean;
  /** Reasoning tokens are as many as the server reports or streams; otherwise they are counted later. */
  readonly countsReasoning: boolean;
  readonly failures: WireFailures;
}

/** Errors of a stream. */
export interface WireFailures {
  /** The stream ended before the answer. */
  cut(): Error;
  /** @param reason Ends the sentence "The server failed: ...". */
  broken(reason: string): Error;
  /** An `error` event. */
  reported(error: WireError): Error;
  /** True if the model's output was delivered, but the server could not parse it. */
  isParseFailure(error: WireError): boolean;
}

/** Features that servers may lack. */
export type Feature =
  | 'tools'
  | 'json_schema'
  | 'json_object'
  | 'images'
  | 'audio'
  | 'logprobs'
  | 'completions'
  | 'completionLogprobs';

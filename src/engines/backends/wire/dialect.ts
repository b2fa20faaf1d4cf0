import type { ChatGeneration, GenerationRequest, ToolDefinition } from '../../engine.ts';
import type { WireError } from './wire-error.ts';

export type JsonSchema = ToolDefinition['parameters'];

/** A server's names for sampling parameters that OpenAI's API lacks. */
type ExtraSampling = Partial<
  Record<'topK' | 'minP' | 'repeatPenalty' | 'repeatLastTokens', string>
>;

/** The side that finds stop strings: `hearth` if the server does not name what it found, or also searches outside the answer. */
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
    /** Absent: the field is not sent. */
    readonly maxReasoningTokens?: 'thinking_budget_tokens';
    /** A parameter without a name is rejected. */
    readonly sampling: ExtraSampling;
  };
  /** Fields that only this server has. */
  readonly ownFields?: (request: GenerationRequest) => object;
  /** Smallest number of alternatives that enables log probabilities. */
  readonly minTopLogprobs: 0 | 1;
  readonly embeddingFormat: 'float' | 'base64';
  /** Features that are rejected, with the reason. */
  readonly lacks?: Readonly<Partial<Record<Feature, string>>>;
  /** True if the prompt of a text completion may be token ids. */
  readonly readsTokenIds: boolean;
  /** Absent: text completions do not support a suffix. */
  readonly infill?: { readonly path: string; readonly prompt: string; readonly suffix: string };
  /** Switches reasoning by OpenAI's `reasoning_effort`, or by variables of the chat template. */
  readonly reasoning: 'effort' | 'template';
  /** `grammar`: Hearth forces calls by a schema for the answer. `ignored`: the server can't force calls. */
  readonly toolChoice: 'server' | 'grammar' | 'ignored';
  /** Adapts schemas to what the server can enforce; absent: they are sent unchanged. */
  readonly schemas?: {
    tools(tools: readonly ToolDefinition[]): readonly ToolDefinition[];
    /** @throws HearthError `invalid_value` for a schema that would lose a constraint. */
    answer(schema: JsonSchema): JsonSchema;
  };
  readonly stopStrings: Readonly<Record<GenerationRequest['kind'], StopStringOwner>>;
  /** True if the server may leave the reasoning in the text, or line breaks around it. */
  readonly leavesReasoning: boolean;
  /**
   * Where the server may leave the markup of tool calls in the text. `atStart`: only markup at the beginning of the
   * text counts as a call, since later markup may be part of an explanation.
   */
  readonly leavesCalls: (request: ChatGeneration) => 'anywhere' | 'atStart' | 'nowhere';
  /** True if the server tells whether the request's limit or the context ended an answer. */
  readonly explainsLimit: boolean;
  /** True if reasoning tokens are counted from the server's reports or the stream; false if they are counted later. */
  readonly countsReasoning: boolean;
  readonly failures: WireFailures;
}

/** Errors of a stream. */
export interface WireFailures {
  /** The error for a stream that ended before the answer did. */
  cut(): Error;
  /** @param reason Ends the sentence "The server failed: ...". */
  broken(reason: string): Error;
  /** The error for an `error` event. */
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

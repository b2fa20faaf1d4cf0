import type { ClientToolCall } from '../conversation/content.ts';
import type {
  ReasoningLevel,
  ResponseFormat,
  Sampling,
  ToolChoice,
  ToolDefinition,
} from '../engine/engine.ts';
import type { Integration } from '../tools/toolbox.ts';

/** A part of a message as a request sends it; an image is a base64 data URL. */
export type TurnContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly dataUrl: string };

export type TurnMessage =
  | { readonly role: 'system' | 'user'; readonly content: readonly TurnContent[] }
  | {
      readonly role: 'assistant';
      /** The model sees the texts alone. */
      readonly content: readonly TurnContent[];
      readonly toolCalls?: readonly ClientToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: readonly TurnContent[];
      readonly isError?: boolean;
    };

/** Tokens to generate and how to sample them, for chats and completions alike. */
export interface GenerationOptions {
  readonly sampling: Sampling;
  readonly stop?: readonly string[];
  /** Number of alternatives to report for each token; absent: no log probabilities. */
  readonly topLogprobs?: number;
  /** Over all generations of a turn; absent: until the model stops or the context is full. */
  readonly maxOutputTokens?: number;
}

/** The instance to use. */
export interface InstanceOptions {
  /** Model key or instance id; undefined or empty: the one that is loaded. */
  readonly model: string | undefined;
  readonly contextLength?: number;
  /** Idle time after which the instance is unloaded. */
  readonly ttlSeconds?: number;
  /** Whether it waits as long as a load takes, since its client sees the progress. */
  readonly waitsForLoad: boolean;
}

/** One turn of a conversation, whichever API it came through. */
export interface TurnRequest extends GenerationOptions, InstanceOptions {
  /** Holds until a later turn sets another one. */
  readonly systemPrompt?: string;
  /** Holds for this turn alone; follows the system prompt. */
  readonly instructions?: string;
  /** The stored response that this turn continues. */
  readonly previousResponseId?: string;
  /** What the turn adds to the conversation: at least one message. */
  readonly messages: readonly TurnMessage[];
  /**
   * Tools that the client runs: the turn ends with the calls of them. Where the list has any and the turn has no
   * integrations, all calls are left to the client, whatever their names.
   */
  readonly clientTools?: readonly ToolDefinition[];
  /** Tool servers whose tools the server runs. */
  readonly integrations: readonly Integration[];
  /** `required` and a name hold for the first generation of the turn; the later ones are free to answer. */
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly reasoning?: ReasoningLevel;
  readonly isStored: boolean;
}

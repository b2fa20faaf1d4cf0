import type { NewConversation } from '../store/conversations/conversation.ts';
import type { NewBlob, StoredResponse } from '../store/store.ts';
import type { CallApproval, ServiceTier, ToolApproval } from '../store/turns/conversation-turn.ts';
import type { ClientToolCall, ToolProvider } from '../store/turns/content.ts';
import type {
  ReasoningLevel,
  ResponseFormat,
  Sampling,
  ToolChoice,
  ToolDefinition,
} from '../engines/engine.ts';
import type { AdapterChoice } from '../kernel/adapter-names.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { Integration } from '../tools/toolbox.ts';
import type { CheckedCall } from './tool-call.ts';
import type { TurnEvent } from './turn-event.ts';
import type { ServerToolChoice } from './turn-tools.ts';

/**
 * A part of a message in a request. An image is a base64 data URL, or a URL that the turn fetches; audio is a base64
 * data URL.
 */
export type TurnContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly url: string };

export type TurnMessage =
  | { readonly role: 'system' | 'user'; readonly content: readonly TurnContent[] }
  | {
      readonly role: 'assistant';
      /** The model reads only the texts. */
      readonly content: readonly TurnContent[];
      readonly toolCalls?: readonly ClientToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: readonly TurnContent[];
      readonly isError?: boolean;
    };

/** The answer to a call that needs an approval. */
export interface TurnApproval extends CallApproval {
  /** The call if it is in this turn's messages instead of the previous response. */
  readonly call?: {
    /** Tool name on its own server. */
    readonly tool: string;
    readonly provider: ToolProvider;
    readonly argumentsJson: string;
  };
}

/** A round whose calls need a decision. */
export interface CallRound {
  /** Index of the generation in its turn, from 0. */
  readonly round: number;
  /** Converts a call's position in the round to its index in the turn. */
  readonly callIndex: (position: number) => number;
  readonly recorder: {
    /** The user's choices for the tools of the conversation. */
    readonly toolChoices: readonly ToolApproval[];
    readonly chooseTool: (choice: ToolApproval) => void;
  };
  readonly context: RequestContext;
}

/**
 * Replaces calls that must not be made. May wait for the user, and yields events while it waits.
 *
 * @returns all calls
 * @throws HearthError `storage_failed`; the signal's reason when aborted.
 */
export type ApproveCalls = (
  calls: readonly CheckedCall[],
  round: CallRound,
) => AsyncGenerator<TurnEvent, readonly CheckedCall[]>;

/** Token limits and sampling, for chats and completions. */
export interface GenerationOptions {
  readonly sampling: Sampling;
  readonly stop?: readonly string[];
  /** Number of alternatives to report per token; absent: no log probabilities. */
  readonly topLogprobs?: number;
  /** Limit for all generations of a turn together; if absent, until the model stops or the context is full. */
  readonly maxOutputTokens?: number;
}

/** Selects the instance to use. */
export interface InstanceOptions {
  /** Model key or instance id; undefined or empty: the only loaded model. */
  readonly model: string | undefined;
  /** The target of `model` if it is already resolved. */
  readonly target?: ModelTarget;
  /** If absent, the adapters in the name `model`, or else the instance's default adapters. */
  readonly adapters?: readonly AdapterChoice[];
  readonly contextLength?: number;
  /** Idle time after which the instance is unloaded. */
  readonly ttlSeconds?: number;
  /** True if the request waits for a load without a time limit, since its client sees the progress. */
  readonly waitsForLoad: boolean;
  /** True if the client gets the answer in one piece, so that it does not notice a repeated attempt. */
  readonly isWhole?: boolean;
}

/** One turn of a conversation, independent of the API. */
export interface TurnRequest extends GenerationOptions, InstanceOptions {
  /** Applies until a later turn changes it. */
  readonly systemPrompt?: string;
  /** Applies only to this turn; follows the system prompt. */
  readonly instructions?: string;
  /** The stored response that this turn continues. */
  readonly previousResponseId?: string;
  /** The conversation to add the response to, unless the previous response determines it. */
  readonly conversationId?: string;
  /** Properties of a new conversation. */
  readonly begun?: NewConversation;
  /**
   * The stored response whose answer this turn continues. The new response replaces it in the tree: it has the same
   * previous response and messages, and the whole answer. `messages` is empty then.
   */
  readonly continuedResponseId?: string;
  /** Messages that the turn adds to the conversation; may be empty only with `approvals` or `continuedResponseId`. */
  readonly messages: readonly TurnMessage[];
  /** Answers to waiting calls; the turn begins by making the approved ones. */
  readonly approvals?: readonly TurnApproval[];
  /**
   * Tools that the client runs; calls to them end the turn. If the list is set and the turn has no integrations, calls
   * with any name are left to the client.
   */
  readonly clientTools?: readonly ToolDefinition[];
  /** Tool servers whose tools the server runs. */
  readonly integrations: readonly Integration[];
  /** Present if the turn lists each integration's tools as an item. */
  readonly toolLists?: {
    /** Labels of servers whose tools the client knows. */
    readonly knownLabels: readonly string[];
  };
  /** `required` or a name applies only to the first generation of the turn; later ones may answer. */
  readonly toolChoice?: ToolChoice | ServerToolChoice;
  /** Maximum calls of server-side tools in the turn; after them the model must answer. */
  readonly maxToolCalls?: number;
  /** True if one generation may call several tools. */
  readonly callsInParallel?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly reasoning?: ReasoningLevel;
  /** Maximum reasoning tokens per generation; if absent, only `maxOutputTokens` applies. */
  readonly maxReasoningTokens?: number;
  /** True: the oldest turns of the history are dropped if they do not fit into the context. */
  readonly dropsOldTurns?: boolean;
  /** Decides which calls are made; if absent, all are. */
  readonly approveCalls?: ApproveCalls;
  readonly isStored: boolean;
  /** Stored with the turn and not interpreted. */
  readonly serviceTier?: ServiceTier;
  /** Stored with the turn and not interpreted. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Id to store the turn under, from `newResponseId`; if absent, a new one. */
  readonly responseId?: string;
  /** True if the turn may outlive its client's request. Stored with the turn. */
  readonly isBackground?: boolean;
  /** Called when the prompt is known, with the response to store if the server ends early. */
  readonly onDraft?: (draft: DraftResponse) => Promise<void>;
}

/** A response without output, which is stored if its server ends early. */
export interface DraftResponse {
  readonly response: StoredResponse;
  readonly blobs: readonly NewBlob[];
  readonly conversationId?: string;
  readonly begun?: NewConversation;
}

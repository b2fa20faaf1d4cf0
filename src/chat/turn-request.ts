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
import type { RequestContext } from '../telemetry/request-context.ts';
import type { Integration } from '../tools/toolbox.ts';
import type { CheckedCall } from './tool-call.ts';
import type { TurnEvent } from './turn-event.ts';
import type { ServerToolChoice } from './turn-tools.ts';

/**
 * A part of a message in a request. An image is a base64 data URL, or the address of one, which the turn reads; audio is a
 * base64 data URL.
 */
export type TurnContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly url: string };

export type TurnMessage =
  | { readonly role: 'system' | 'user'; readonly content: readonly TurnContent[] }
  | {
      readonly role: 'assistant';
      /** The model only sees the texts. */
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
  /** The call, if it is one of this turn's messages, and not of the previous response. */
  readonly call?: {
    /** Tool name on its own server. */
    readonly tool: string;
    readonly provider: ToolProvider;
    readonly argumentsJson: string;
  };
}

/** The round that made some calls. */
export interface CallRound {
  /** Index of the generation in its turn, from 0. */
  readonly round: number;
  /** Index of a call in the turn, by its position in the round. */
  readonly callIndex: (position: number) => number;
  readonly recorder: {
    /** The user's choices for the tools of the conversation. */
    readonly toolChoices: readonly ToolApproval[];
    readonly chooseTool: (choice: ToolApproval) => void;
  };
  readonly context: RequestContext;
}

/**
 * Replaces the calls that may not be made. May wait for the user, and yields the events of this
 * wait.
 * @returns all calls
 * @throws HearthError `storage_failed`; the signal's reason when aborted.
 */
export type ApproveCalls = (
  calls: readonly CheckedCall[],
  round: CallRound,
) => AsyncGenerator<TurnEvent, readonly CheckedCall[]>;

/** Tokens to generate and how to sample them, for chats and completions. */
export interface GenerationOptions {
  readonly sampling: Sampling;
  readonly stop?: readonly string[];
  /** Number of alternatives to report per token; absent: no log probabilities. */
  readonly topLogprobs?: number;
  /** Over all generations of a turn; absent: until the model stops or the context is full. */
  readonly maxOutputTokens?: number;
}

/** The instance to use. */
export interface InstanceOptions {
  /** Model key or instance id; undefined or empty: the only loaded model. */
  readonly model: string | undefined;
  /** The target of `model`, if it is known already. */
  readonly target?: ModelTarget;
  /** Absent: the adapters in the name `model`, else the default adapters of the instance. */
  readonly adapters?: readonly AdapterChoice[];
  readonly contextLength?: number;
  /** Idle time after which the instance is unloaded. */
  readonly ttlSeconds?: number;
  /** True if the request waits for a load without a time limit, since its client sees the progress. */
  readonly waitsForLoad: boolean;
  /** True if the client gets the answer as a whole, so that a failed attempt may be repeated unnoticed. */
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
  /** The conversation of the response where the previous one, if there is any, does not decide it. */
  readonly conversationId?: string;
  /** Properties of a new conversation. */
  readonly begun?: NewConversation;
  /**
   * The stored response whose answer this turn continues. The new response takes its place in the tree: it has the same
   * previous response and messages, and the whole answer. `messages` is empty then.
   */
  readonly continuedResponseId?: string;
  /** Messages that the turn adds to the conversation; none only with `approvals` or `continuedResponseId`. */
  readonly messages: readonly TurnMessage[];
  /** Answers to waiting calls: the turn begins with the approved ones. */
  readonly approvals?: readonly TurnApproval[];
  /**
   * Tools that the client runs: the turn ends with the calls to them. If the list is set and the turn has no
   * integrations, all calls are left to the client, with any name.
   */
  readonly clientTools?: readonly ToolDefinition[];
  /** Tool servers whose tools the server runs. */
  readonly integrations: readonly Integration[];
  /** Present if the turn lists the tools of each integration as an item. */
  readonly toolLists?: {
    /** Labels of servers whose tools the client knows. */
    readonly knownLabels: readonly string[];
  };
  /** `required` and a name apply to the first generation of the turn; later ones may answer. */
  readonly toolChoice?: ToolChoice | ServerToolChoice;
  /** Most calls of server-side tools in the turn; after them the model must answer. */
  readonly maxToolCalls?: number;
  /** True if one generation may call several tools. */
  readonly callsInParallel?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly reasoning?: ReasoningLevel;
  /** Tokens of reasoning in each generation; absent: no limit but `maxOutputTokens`. */
  readonly maxReasoningTokens?: number;
  /** True if the oldest turns of the history may be dropped if they do not fit into the context. */
  readonly dropsOldTurns?: boolean;
  /** Decides which calls are made; all if absent. */
  readonly approveCalls?: ApproveCalls;
  readonly isStored: boolean;
  /** Stored with the turn and not interpreted. */
  readonly serviceTier?: ServiceTier;
  /** Stored with the turn and not interpreted. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Id under which the turn is stored, from `newResponseId`; a new one if absent. */
  readonly responseId?: string;
  /** True if the turn outlives the request of its client; stored with it. */
  readonly isBackground?: boolean;
  /** Called when the prompt is known, with the response that is stored if the server ends in the middle. */
  readonly onDraft?: (draft: DraftResponse) => Promise<void>;
}

/** A response without output, which is stored if its server ends in the middle. */
export interface DraftResponse {
  readonly response: StoredResponse;
  readonly blobs: readonly NewBlob[];
  readonly conversationId?: string;
  readonly begun?: NewConversation;
}

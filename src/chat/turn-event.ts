import type { HearthError } from '../kernel/errors/errors.ts';
import type { JsonObject, ToolProvider } from '../store/turns/content.ts';
import type { StopReason, TurnTimings, TurnUsage } from '../store/turns/conversation-turn.ts';
import type {
  ApprovalRequestItem,
  ClientToolCallItem,
  InvalidToolCallItem,
  ToolCallItem,
  ToolListItem,
  TurnItem,
} from '../store/turns/turn-item.ts';
import type { EngineCapabilities, TokenLogprob } from '../engines/engine.ts';
import type { LoadEvent, QueuedEvent } from '../engines/session-event.ts';
import type { ToolHints } from '../tools/call-policy.ts';
import type { ModelSelection } from '../library/model.ts';

/** Progress of processing the prompt. */
export type PromptEvent =
  | { readonly type: 'prompt.start' }
  | {
      readonly type: 'prompt.progress';
      readonly processedTokens: number;
      readonly cachedTokens: number;
      readonly totalTokens: number;
    }
  | { readonly type: 'prompt.end' };

type TextEvent =
  | { readonly type: 'reasoning.start' | 'message.start' }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | {
      readonly type: 'message.delta';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | { readonly type: 'reasoning.end' | 'message.end'; readonly text: string };

/** A tool that the server runs. */
export interface ServerTool {
  /** The tool's name on its server. */
  readonly name: string;
  readonly provider: ToolProvider;
}

/** `index` counts the calls of a turn, from 0. */
type ToolCallEvent =
  | {
      readonly type: 'toolCall.start';
      readonly index: number;
      /** Tool name as the model sees it. */
      readonly exposedName: string;
      /** Absent for client tools and unknown tools. */
      readonly tool?: ServerTool;
      /** True if the client executes the call. */
      readonly isForClient: boolean;
      /** Present if the call waits for an approval. */
      readonly needsApproval?: true;
      /** Present if the call waited for an approval: the id of its request. */
      readonly approvalRequestId?: string;
    }
  | {
      readonly type: 'toolCall.delta';
      readonly index: number;
      readonly isForClient: boolean;
      /** Set in the first delta of a call. */
      readonly id?: string;
      readonly name?: string;
      readonly argumentsJson: string;
    }
  /** A call for the server is complete and valid. */
  | {
      readonly type: 'toolCall.arguments';
      readonly index: number;
      readonly tool: ServerTool;
      readonly arguments: JsonObject;
    }
  /** A call for the client is complete. */
  | { readonly type: 'toolCall.end'; readonly index: number; readonly item: ClientToolCallItem }
  /** A call that waits for an approval is complete. */
  | {
      readonly type: 'toolCall.approval';
      readonly index: number;
      readonly item: ApprovalRequestItem;
    }
  /** A call waits for the approval of its user. */
  | {
      readonly type: 'toolCall.approvalStart';
      readonly index: number;
      readonly id: string;
      readonly tool: ServerTool;
      readonly arguments: JsonObject;
      readonly hints: ToolHints;
      /** ISO 8601 time at which the call is refused if it has no answer. */
      readonly expiresAt: string;
    }
  /** The call no longer waits. */
  | {
      readonly type: 'toolCall.approvalEnd';
      readonly index: number;
      readonly id: string;
      readonly isApproved: boolean;
    }
  | { readonly type: 'toolCall.success'; readonly index: number; readonly item: ToolCallItem }
  | {
      readonly type: 'toolCall.failure';
      readonly index: number;
      readonly item: InvalidToolCallItem;
    };

/** The tools of a server, if the request asks for them. */
type ToolListEvent =
  | { readonly type: 'toolList.start'; readonly provider: ToolProvider }
  | { readonly type: 'toolList.end'; readonly item: ToolListItem }
  /** The error with which the turn fails. */
  | {
      readonly type: 'toolList.failure';
      readonly provider: ToolProvider;
      readonly error: HearthError;
    };

/** `turn.start` comes first and `turn.end` last. If a turn fails, `turn.error` comes before its end. */
export type TurnEvent =
  | {
      readonly type: 'turn.start';
      readonly instanceId: string;
      readonly selection: ModelSelection;
    }
  | QueuedEvent
  | LoadEvent
  | PromptEvent
  | TextEvent
  | ToolCallEvent
  | ToolListEvent
  | { readonly type: 'turn.error'; readonly error: HearthError }
  | { readonly type: 'turn.end'; readonly result: TurnResult };

/** The model and the statistics, common to chats and completions. */
export interface GenerationSummary {
  readonly instanceId: string;
  readonly selection: ModelSelection;
  /** Absent if the request failed before its instance was ready. */
  readonly capabilities?: EngineCapabilities;
  /** Stop reason of the last generation; null if it did not end. */
  readonly stopReason: StopReason | null;
  /** The request's stop string that ended the last generation. */
  readonly stopString?: string;
  /** True if the engine could not parse the end of the last generation; the text received is kept. */
  readonly isMalformed: boolean;
  readonly usage: TurnUsage;
  readonly timings: TurnTimings;
  /** One entry per token of the answer; absent unless requested. */
  readonly logprobs?: readonly TokenLogprob[];
}

export interface TurnResult extends GenerationSummary {
  /** Number of turns of the history that the model did not see; absent unless the request allows that. */
  readonly droppedTurns?: number;
  /** Present if the turn was stored. */
  readonly responseId?: string;
  readonly items: readonly TurnItem[];
}

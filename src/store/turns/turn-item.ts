import type { ClientToolCall, JsonObject, ToolContent, ToolProvider } from './content.ts';

/** Output of the model in a turn, in order. */
export type TurnItem =
  | MessageItem
  | ReasoningItem
  | ToolCallItem
  | InvalidToolCallItem
  | ClientToolCallItem
  | ApprovalRequestItem
  | ToolListItem;

export interface MessageItem {
  readonly type: 'message';
  readonly text: string;
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly text: string;
}

interface CallItem {
  /** Index of the generation that made the call, from 0. */
  readonly round: number;
  /** Tool name as the model sees it. */
  readonly exposedName: string;
}

/** A call that the server executed. */
export interface ToolCallItem extends CallItem {
  readonly type: 'toolCall';
  /** Tool name on its own server. */
  readonly tool: string;
  readonly provider: ToolProvider;
  readonly arguments: JsonObject;
  readonly result: readonly ToolContent[];
  /** Whether the tool reported an error. */
  readonly isError: boolean;
  /** Present if an earlier turn made the call, and this one approved it. */
  readonly approvalRequestId?: string;
}

/** A call that the server could not execute; the model received the reason. */
export interface InvalidToolCallItem extends CallItem {
  readonly type: 'invalidToolCall';
  readonly cause: 'invalidName' | 'invalidArguments';
  readonly reason: string;
  /** Present if the tool exists. */
  readonly tool?: string;
  readonly provider?: ToolProvider;
  /** Present if the arguments are a JSON object. */
  readonly arguments?: JsonObject;
  /** Present if an earlier turn made the call, and this one approved it. */
  readonly approvalRequestId?: string;
}

/** A call for the client to execute; the turn ends with it. */
export interface ClientToolCallItem extends ClientToolCall {
  readonly type: 'clientToolCall';
  readonly round: number;
}

/** A call that the server makes when the client approves it; the turn ends with it. */
export interface ApprovalRequestItem extends CallItem {
  readonly type: 'approvalRequest';
  readonly id: string;
  /** Tool name on its own server. */
  readonly tool: string;
  readonly provider: ToolProvider;
  readonly arguments: JsonObject;
  /** Present once a later turn began to make the call; it is not made again. */
  readonly isUsed?: true;
}

/** The tools of a server, which the client asked to see. */
export interface ToolListItem {
  readonly type: 'toolList';
  readonly provider: ToolProvider;
  readonly tools: readonly ToolDescription[];
}

/** A tool as its server describes it. */
export interface ToolDescription {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments. */
  readonly parameters: JsonObject;
  readonly annotations?: JsonObject;
}

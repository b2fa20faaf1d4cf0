import type { ClientToolCall, JsonObject, ToolContent, ToolProvider } from './content.ts';

/** What the model produced in a turn, in the order in which it began. */
export type TurnItem =
  | MessageItem
  | ReasoningItem
  | ToolCallItem
  | InvalidToolCallItem
  | ClientToolCallItem;

export interface MessageItem {
  readonly type: 'message';
  readonly text: string;
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly text: string;
}

interface CallItem {
  /** Number of the generation that made the call, from 0. */
  readonly round: number;
  /** The tool as the model named it. */
  readonly exposedName: string;
}

/** A call that the server made. */
export interface ToolCallItem extends CallItem {
  readonly type: 'toolCall';
  /** The tool as its own server names it. */
  readonly tool: string;
  readonly provider: ToolProvider;
  readonly arguments: JsonObject;
  readonly result: readonly ToolContent[];
  /** Whether the tool reports a failure, timed out or its server ended. */
  readonly isError: boolean;
}

/** A call that the server could not make; the model was told the reason. */
export interface InvalidToolCallItem extends CallItem {
  readonly type: 'invalidToolCall';
  readonly cause: 'invalidName' | 'invalidArguments';
  readonly reason: string;
  /** Present where the tool exists. */
  readonly tool?: string;
  readonly provider?: ToolProvider;
  /** Present where the arguments are a JSON object. */
  readonly arguments?: JsonObject;
}

/** A call that is left to the client; the turn ends with it. */
export interface ClientToolCallItem extends ClientToolCall {
  readonly type: 'clientToolCall';
  readonly round: number;
}

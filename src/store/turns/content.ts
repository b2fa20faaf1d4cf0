export type JsonObject = Readonly<Record<string, unknown>>;

/** A part of a message as it is stored; an image is a reference to a blob. */
export type ConversationContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly sha256: string; readonly mediaType: string };

/**
 * A part of a tool's result: one of MCP's content blocks, of limited size. A stored image has the `sha256` of a blob in
 * place of its `data`.
 */
export type ToolContent = { readonly type: string } & JsonObject;

/** The server that a tool belongs to. */
export type ToolProvider =
  | {
      readonly type: 'plugin';
      /** `mcp/<label>` */
      readonly pluginId: string;
    }
  | { readonly type: 'ephemeralMcp'; readonly serverLabel: string };

/** A call of a tool that the client runs. */
export interface ClientToolCall {
  /** Id that refers to the call in the message with its result. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model generated it; may be invalid. */
  readonly argumentsJson: string;
}

/** A message that a turn adds to its conversation, before the model answers. */
export type ConversationMessage =
  | { readonly role: 'system' | 'user'; readonly content: readonly ConversationContent[] }
  | {
      readonly role: 'assistant';
      readonly content: readonly ConversationContent[];
      readonly toolCalls?: readonly ClientToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: readonly ConversationContent[];
      readonly isError?: boolean;
    };

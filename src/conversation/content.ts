export type JsonObject = Readonly<Record<string, unknown>>;

/** A part of a message as a conversation keeps it; an image is a reference to a stored blob. */
export type ConversationContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly sha256: string; readonly mediaType: string };

/** A part of a tool's result: one of MCP's content blocks, bounded in size. */
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
  /** Names the call in the message that brings its result. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; it may not parse. */
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

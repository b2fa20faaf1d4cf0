/** Counts of the contents of an export that Hearth does not import. */
export interface LeftOut {
  readonly images: number;
  /** Files whose text is not in the export; their names are in the messages. */
  readonly files: number;
  /** Messages for the model only, results of tools, and unknown parts. */
  readonly parts: number;
}

/** A part of a message: text, reasoning or a tool call. */
export interface ImportedPart {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** A message of another app, as a node of the tree of its chat. */
export interface ImportedMessage {
  readonly id: string;
  /** Id of the parent. If it is null or not in the chat, the message begins a branch. */
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant';
  /** If empty, the message is left out, and its children continue its parent. */
  readonly parts: readonly ImportedPart[];
  readonly model?: string | undefined;
  readonly createdAt?: Date | undefined;
}

/** A chat of another app. All readers return this shape. */
export interface ImportedChat {
  /** May be empty. */
  readonly title: string;
  readonly createdAt: Date | undefined;
  readonly systemPrompt?: string | undefined;
  /** Name of the model for answers that have none. */
  readonly model: string;
  /** Siblings are in the order in which the app shows them. */
  readonly messages: readonly ImportedMessage[];
  /** Last message of the branch that the app showed. */
  readonly currentId: string | undefined;
  readonly leftOut: LeftOut;
}

/** Reads the chats of one app. */
export interface ExportReader {
  readonly format: 'chatgpt' | 'claude' | 'open_webui' | 'lm_studio';
  /** True if a value has the fields that only chats of this app have. */
  readonly recognizes: (value: unknown) => boolean;
  /**
   * @param value A value that `recognizes` accepts; its other fields may have any type.
   * @throws ImportError
   */
  readonly read: (value: unknown) => ImportedChat;
}

/** The reason why a chat can't be imported, as a sentence for the user. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

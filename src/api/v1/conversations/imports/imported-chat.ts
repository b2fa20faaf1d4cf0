/** Contents of an export that Hearth does not import, by kind. */
export interface LeftOut {
  readonly images: number;
  /** Files whose text is not in the export; their names are in the messages. */
  readonly files: number;
  /** Messages for the model only, results of tools, and parts that are unknown. */
  readonly parts: number;
}

/** A part of a message: its text, or a step on the way to it. */
export interface ImportedPart {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** A message of another app, as a node of the tree of its chat. */
export interface ImportedMessage {
  readonly id: string;
  /** A message that is not in the chat, or null: the message is a beginning. */
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant';
  /** None: the message is left out, and its children continue its parent. */
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
  /** Name of the model of answers that name none. */
  readonly model: string;
  /** In the order in which messages with the same parent are shown. */
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
   * @param value One that `recognizes` accepts; its other fields may have any type.
   * @throws ImportError
   */
  readonly read: (value: unknown) => ImportedChat;
}

/** Why one chat can't be imported, in a sentence for the user. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

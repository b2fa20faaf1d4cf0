import * as z from 'zod';

/** The type of a value that a schema reads, unchangeable. */
export type Stored<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;
type DeepReadonly<Value> = Value extends object
  ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
  : Value;

export const jsonObjectSchema = z.record(z.string(), z.unknown());
export type JsonObject = Stored<typeof jsonObjectSchema>;

const contentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), sha256: z.string(), mediaType: z.string() }),
]);
/** A part of a message as it is stored; an image or audio is a reference to a blob. */
export type ConversationContent = Stored<typeof contentSchema>;

export const toolContentSchema = z.looseObject({ type: z.string() });
/**
 * A part of a tool's result: one of MCP's content blocks, of limited size. A stored image has the `sha256` of a blob in
 * place of its `data`.
 */
export type ToolContent = Stored<typeof toolContentSchema>;

export const toolProviderSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('plugin'),
    /** `mcp/<label>` */
    pluginId: z.string(),
  }),
  z.object({ type: z.literal('ephemeralMcp'), serverLabel: z.string() }),
]);
/** The server that a tool belongs to. */
export type ToolProvider = Stored<typeof toolProviderSchema>;

export const clientToolCallSchema = z.object({
  /** Id that refers to the call in the message with its result. */
  id: z.string(),
  name: z.string(),
  /** JSON text as the model generated it; may be invalid. */
  argumentsJson: z.string(),
});
/** A call of a tool that the client runs. */
export type ClientToolCall = Stored<typeof clientToolCallSchema>;

const content = z.array(contentSchema);
export const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'user']), content }),
  z.object({
    role: z.literal('assistant'),
    content,
    toolCalls: z.array(clientToolCallSchema).exactOptional(),
  }),
  z.object({
    role: z.literal('tool'),
    toolCallId: z.string(),
    content,
    isError: z.boolean().exactOptional(),
  }),
]);
/** A message that a turn adds to its conversation, before the model answers. */
export type ConversationMessage = Stored<typeof messageSchema>;

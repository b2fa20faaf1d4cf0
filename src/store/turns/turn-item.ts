import * as z from 'zod';
import {
  clientToolCallSchema,
  jsonObjectSchema,
  toolContentSchema,
  toolProviderSchema,
  type Stored,
} from './content.ts';

const call = {
  /** Index of the generation that made the call, from 0. */
  round: z.int(),
  /** Tool name as the model sees it. */
  exposedName: z.string(),
};
/** Present if an earlier turn requested the call and this one approved it. */
const approvalRequestId = z.string().exactOptional();

const toolCallSchema = z.object({
  type: z.literal('toolCall'),
  ...call,
  /** Tool name on its own server. */
  tool: z.string(),
  provider: toolProviderSchema,
  arguments: jsonObjectSchema,
  result: z.array(toolContentSchema),
  /** True if the tool reported an error. */
  isError: z.boolean(),
  approvalRequestId,
});
/** A call that the server executed. */
export type ToolCallItem = Stored<typeof toolCallSchema>;

const invalidToolCallSchema = z.object({
  type: z.literal('invalidToolCall'),
  ...call,
  cause: z.enum(['invalidName', 'invalidArguments']),
  reason: z.string(),
  /** Present if the tool exists. */
  tool: z.string().exactOptional(),
  provider: toolProviderSchema.exactOptional(),
  /** Present if the arguments are a JSON object. */
  arguments: jsonObjectSchema.exactOptional(),
  /** Present if the user did not approve the call. */
  isDenied: z.literal(true).exactOptional(),
  approvalRequestId,
});
/** A call that the server could not execute; the model received the reason. */
export type InvalidToolCallItem = Stored<typeof invalidToolCallSchema>;

const clientToolCallItemSchema = z.object({
  type: z.literal('clientToolCall'),
  round: z.int(),
  ...clientToolCallSchema.shape,
});
/** A call for the client to execute; it ends the turn. */
export type ClientToolCallItem = Stored<typeof clientToolCallItemSchema>;

const approvalRequestSchema = z.object({
  type: z.literal('approvalRequest'),
  ...call,
  id: z.string(),
  /** Tool name on its own server. */
  tool: z.string(),
  provider: toolProviderSchema,
  arguments: jsonObjectSchema,
  /** Present once a later turn has started the call, which is then not made again. */
  isUsed: z.literal(true).exactOptional(),
});
/** A call that the server makes if the client approves it; the request ends the turn. */
export type ApprovalRequestItem = Stored<typeof approvalRequestSchema>;

const toolDescriptionSchema = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  /** JSON schema of the arguments. */
  parameters: jsonObjectSchema,
  annotations: jsonObjectSchema.exactOptional(),
});
/** A tool as its server describes it. */
export type ToolDescription = Stored<typeof toolDescriptionSchema>;

const toolListSchema = z.object({
  type: z.literal('toolList'),
  provider: toolProviderSchema,
  tools: z.array(toolDescriptionSchema),
});
/** The tools of a server, listed because the client asked for them. */
export type ToolListItem = Stored<typeof toolListSchema>;

export const turnItemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  toolCallSchema,
  invalidToolCallSchema,
  clientToolCallItemSchema,
  approvalRequestSchema,
  toolListSchema,
]);
/** Output of the model in a turn, in order. */
export type TurnItem = Stored<typeof turnItemSchema>;

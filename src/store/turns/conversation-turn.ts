import * as z from 'zod';
import { messageSchema, toolProviderSchema, type Stored } from './content.ts';
import { turnItemSchema } from './turn-item.ts';

const approvalSchema = z.object({
  /** Id of the item `approvalRequest`. */
  requestId: z.string(),
  isApproved: z.boolean(),
  /** Shown to the model if the call is refused. */
  reason: z.string().exactOptional(),
});
/** A client's answer to a call that needs an approval. */
export type CallApproval = Stored<typeof approvalSchema>;

const toolChoiceSchema = z.object({
  provider: toolProviderSchema,
  /** Tool name on its own server. */
  tool: z.string(),
  isApproved: z.boolean(),
});
/** A user's choice for all calls of a tool. */
export type ToolApproval = Stored<typeof toolChoiceSchema>;

const stopReasonSchema = z.enum([
  'eosFound',
  'stopStringFound',
  'maxPredictedTokensReached',
  'contextLengthReached',
  'toolCalls',
]);
/** Why the last generation of a turn ended. */
export type StopReason = z.infer<typeof stopReasonSchema>;

const usageSchema = z.object({
  /** Prompt tokens, including cached ones. */
  promptTokens: z.number(),
  cachedTokens: z.number(),
  /** Generated tokens, including the reasoning. */
  completionTokens: z.number(),
  reasoningTokens: z.number(),
  /**
   * Tokens that speculation proposed, and the accepted ones among them; absent if there were none.
   */
  drafts: z.object({ proposedTokens: z.number(), acceptedTokens: z.number() }).exactOptional(),
});
/** Tokens of a turn, summed over its generations. */
export type TurnUsage = Stored<typeof usageSchema>;

const serviceTierSchema = z.enum(['default', 'flex', 'priority']);
/** The place in the queue of the model that a turn had. */
export type ServiceTier = z.infer<typeof serviceTierSchema>;

const timingsSchema = z.object({
  /** From the request to the first token, excluding the time to load the model. */
  timeToFirstTokenSeconds: z.number(),
  /** Summed over the generations of the turn. */
  generationSeconds: z.number(),
  /** Measured over generations with two tokens or more; 0 if there is none. */
  tokensPerSecond: z.number(),
  /** Present if the model was loaded for this turn. */
  loadTimeSeconds: z.number().exactOptional(),
});
export type TurnTimings = Stored<typeof timingsSchema>;

const partSchema = z.object({
  of: z.enum(['input', 'items']),
  position: z.int().nonnegative(),
});
/** A part of a turn by its position among the parts of its input, or among its items. */
export type TurnPart = Stored<typeof partSchema>;

export const turnSchema = z.object({
  /** Set by this turn; applies until a later turn changes it. */
  systemPrompt: z.string().nullable(),
  /** Applies to this turn only. */
  instructions: z.string().nullable(),
  messages: z.array(messageSchema),
  items: z.array(turnItemSchema),
  /** Answers to calls of the previous turn. */
  approvals: z.array(approvalSchema).exactOptional(),
  /** The user's choices for the tools of the conversation, in this turn and before it. */
  toolChoices: z.array(toolChoiceSchema).exactOptional(),
  /** Null for a turn of Hearth 0.1.0, which did not store it. */
  stopReason: stopReasonSchema.nullable(),
  usage: usageSchema,
  timings: timingsSchema,
  /** Tokens of the last complete generation, prompt and answer; absent if the turn had no other. */
  contextTokens: z.int().nonnegative().exactOptional(),
  /** Present if the turn failed on the way; the items are the output until then. */
  isInterrupted: z.literal(true).exactOptional(),
  /** Present if a client canceled the turn, which is interrupted then. */
  isCancelled: z.literal(true).exactOptional(),
  /** Present if the turn ran without its client. */
  isBackground: z.literal(true).exactOptional(),
  /** Turns of the history that the model did not see; absent unless the request allows it. */
  droppedTurns: z.int().nonnegative().exactOptional(),
  /** The name of the model in the request; absent if it is the key. */
  requestedModel: z.string().exactOptional(),
  /** The tier that served the turn; absent if the request names none. */
  serviceTier: serviceTierSchema.exactOptional(),
  /** Parts whose content was deleted. */
  removed: z.array(partSchema).exactOptional(),
  /** Metadata that the client attached to the response. */
  metadata: z.record(z.string(), z.string()).exactOptional(),
});
/** A finished turn in its stored form. */
export type ConversationTurn = Stored<typeof turnSchema>;

/**
 * Version of the stored form. Raise it with each change that older code can't read, and keep reading the older
 * forms from 2 on. `convert/` rewrites the first one, which had no version.
 */
const formatVersion = 4;

/** Encodes a turn as JSON text for the database. */
export function encodeTurn(turn: ConversationTurn): string {
  return JSON.stringify({ formatVersion, ...turn });
}

/**
 * Decodes a turn that this or an earlier version of `encodeTurn` wrote.
 *
 * @throws Error if the text is malformed or has a newer version.
 */
export function decodeTurn(text: string): ConversationTurn {
  const value: unknown = JSON.parse(text);
  const { formatVersion: version } = versionSchema.parse(value);
  // The second format had images of tools as base64, the third no approvals; they read like the present one.
  if (version <= formatVersion) return turnSchema.parse(value);
  throw new Error(`A stored turn has format ${version}; this version reads up to ${formatVersion}`);
}

const versionSchema = z.object({ formatVersion: z.int() });

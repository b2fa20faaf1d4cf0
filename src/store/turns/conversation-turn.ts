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

/** The parts of a turn that summaries read. */
export type TurnTexts = Pick<ConversationTurn, 'messages' | 'items'>;

const maxTitleLength = 60;
const maxPreviewLength = 160;
/** Most characters of one turn that a search finds. */
const maxSearchLength = 256 * 1024;

/** The first words of the input, or of the output if the input has no text. Of several texts the last is the question. */
export function titleOf(turn: TurnTexts): string {
  return firstWords(turn, maxTitleLength) || 'Untitled';
}

/** The beginning of the input, or of the output if the input has no text; may be empty. */
export function previewOf(turn: TurnTexts): string {
  return firstWords(turn, maxPreviewLength);
}

/** The texts of a turn that a search finds: messages and answers, without reasoning and tool calls. */
export function searchTextOf({ messages, items }: TurnTexts): string {
  const texts: string[] = [];
  for (const { role, content } of messages) {
    if (role === 'system' || role === 'tool') continue;
    for (const part of content) if (part.type === 'text') texts.push(part.text);
  }
  for (const item of items) if (item.type === 'message') texts.push(item.text);
  return cut(texts.join('\n'), maxSearchLength).replaceAll('\0', ' ');
}

/** Cuts between words if there is a space near the end. */
function firstWords({ messages, items }: TurnTexts, maxLength: number): string {
  const texts: string[] = [];
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    // Documents come before the words about them.
    for (const part of content.toReversed()) if (part.type === 'text') texts.push(part.text);
  }
  for (const item of items) if (item.type === 'message') texts.push(item.text);
  for (const text of texts) {
    // A long text without spaces has enough words in this many characters.
    const words = cut(text, 4 * maxLength)
      .replaceAll(/[\s\0]+/g, ' ')
      .trim();
    if (words === '') continue;
    if (words.length <= maxLength) return words;
    const start = cut(words, maxLength - 1);
    const lastSpace = start.lastIndexOf(' ');
    return `${lastSpace > maxLength / 2 ? start.slice(0, lastSpace) : start}…`;
  }
  return '';
}

/** The first UTF-16 units of a text, without half of a surrogate pair at the end. */
function cut(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

/** The SHA-256 of all images and audio that a turn refers to. */
export function mediaOf({ messages, items }: ConversationTurn): ReadonlySet<string> {
  const media = new Set<string>();
  for (const { content } of messages) {
    for (const part of content) if (part.type !== 'text') media.add(part.sha256);
  }
  for (const item of items) {
    if (item.type !== 'toolCall') continue;
    for (const { type, sha256 } of item.result) {
      if (type === 'image' && typeof sha256 === 'string') media.add(sha256);
    }
  }
  return media;
}

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
  /** Tokens proposed by speculative decoding, and how many of them were accepted; absent if none were proposed. */
  drafts: z.object({ proposedTokens: z.number(), acceptedTokens: z.number() }).exactOptional(),
});
/** Tokens of a turn, summed over its generations. */
export type TurnUsage = Stored<typeof usageSchema>;

const serviceTierSchema = z.enum(['default', 'flex', 'priority']);
/** Service tier: the priority of the turn in the model's queue. */
export type ServiceTier = z.infer<typeof serviceTierSchema>;

const timingsSchema = z.object({
  /** From the request to the first token, excluding the time to load the model. */
  timeToFirstTokenSeconds: z.number(),
  /** Summed over the generations of the turn. */
  generationSeconds: z.number(),
  /** Measured over generations with at least two tokens; 0 if there are none. */
  tokensPerSecond: z.number(),
  /** Present if the model was loaded for this turn. */
  loadTimeSeconds: z.number().exactOptional(),
});
export type TurnTimings = Stored<typeof timingsSchema>;

const partSchema = z.object({
  of: z.enum(['input', 'items']),
  position: z.int().nonnegative(),
});
/** A part of a turn, identified by its position in the input or among the items. */
export type TurnPart = Stored<typeof partSchema>;

export const turnSchema = z.object({
  /** Set by this turn; applies until a later turn replaces it. */
  systemPrompt: z.string().nullable(),
  /** Applies to this turn only. */
  instructions: z.string().nullable(),
  messages: z.array(messageSchema),
  items: z.array(turnItemSchema),
  /** Answers to calls of the previous turn. */
  approvals: z.array(approvalSchema).exactOptional(),
  /** The user's choices for the tools of the conversation, in this turn and before it. */
  toolChoices: z.array(toolChoiceSchema).exactOptional(),
  /** Null for turns of Hearth 0.1.0, which did not store it. */
  stopReason: stopReasonSchema.nullable(),
  usage: usageSchema,
  timings: timingsSchema,
  /** Prompt and answer tokens of the last complete generation; absent if no generation was completed. */
  contextTokens: z.int().nonnegative().exactOptional(),
  /** Present if the turn failed before its end; the items are the output until then. */
  isInterrupted: z.literal(true).exactOptional(),
  /** Present if a client canceled the turn, which is then also interrupted. */
  isCancelled: z.literal(true).exactOptional(),
  /** Present if the turn ran without its client. */
  isBackground: z.literal(true).exactOptional(),
  /** Number of turns of the history that the model did not see; absent unless the request allows that. */
  droppedTurns: z.int().nonnegative().exactOptional(),
  /** The model's name in the request; absent if it is the key. */
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
 * Version of the stored format. Raise it with each change that older code can't read, and keep reading older formats
 * from 2 on. `convert/` rewrites the first format, which had no version.
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
  // Format 2 stored images of tools as base64, format 3 had no approvals; the present schema reads both.
  if (version <= formatVersion) return turnSchema.parse(value);
  throw new Error(`A stored turn has format ${version}; this version reads up to ${formatVersion}`);
}

const versionSchema = z.object({ formatVersion: z.int() });

/** The parts of a turn that summaries read. */
export type TurnTexts = Pick<ConversationTurn, 'messages' | 'items'>;

const maxTitleLength = 60;
const maxPreviewLength = 160;
/** Maximum characters of one turn that are searchable. */
const maxSearchLength = 256 * 1024;

/**
 * The first words of the input, or of the output if the input has no text. If the input has several texts, the last one
 * counts: it is the question.
 */
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
    // In reverse, since documents come before the question about them.
    for (const part of content.toReversed()) if (part.type === 'text') texts.push(part.text);
  }
  for (const item of items) if (item.type === 'message') texts.push(item.text);
  for (const text of texts) {
    // Reads only the beginning of a long text, which has enough words even without many spaces.
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

/** Cuts a text to a number of UTF-16 units, without half a surrogate pair at the end. */
function cut(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

/** SHA-256 hashes of all images and audio that a turn refers to. */
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

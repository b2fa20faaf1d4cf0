import * as z from 'zod';
import type { ConversationMessage, ToolContent, ToolProvider } from './content.ts';
import type { ConversationTurn } from './conversation-turn.ts';
import type { TurnItem } from './turn-item.ts';

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

const jsonObject = z.record(z.string(), z.unknown());
const toolContent = z.looseObject({ type: z.string() }) satisfies z.ZodType<ToolContent>;
const provider = z.discriminatedUnion('type', [
  z.object({ type: z.literal('plugin'), pluginId: z.string() }),
  z.object({ type: z.literal('ephemeralMcp'), serverLabel: z.string() }),
]) satisfies z.ZodType<ToolProvider>;

const clientToolCall = { id: z.string(), name: z.string(), argumentsJson: z.string() };
const content = z.array(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image'), sha256: z.string(), mediaType: z.string() }),
  ]),
);
const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'user']), content }),
  z.object({
    role: z.literal('assistant'),
    content,
    toolCalls: z.array(z.object(clientToolCall)).exactOptional(),
  }),
  z.object({
    role: z.literal('tool'),
    toolCallId: z.string(),
    content,
    isError: z.boolean().exactOptional(),
  }),
]) satisfies z.ZodType<ConversationMessage>;

const call = { round: z.int(), exposedName: z.string() };
const item = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['message', 'reasoning']), text: z.string() }),
  z.object({
    type: z.literal('toolCall'),
    ...call,
    tool: z.string(),
    provider,
    arguments: jsonObject,
    result: z.array(toolContent),
    isError: z.boolean(),
    approvalRequestId: z.string().exactOptional(),
  }),
  z.object({
    type: z.literal('invalidToolCall'),
    ...call,
    cause: z.enum(['invalidName', 'invalidArguments']),
    reason: z.string(),
    tool: z.string().exactOptional(),
    provider: provider.exactOptional(),
    arguments: jsonObject.exactOptional(),
    approvalRequestId: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('clientToolCall'), round: z.int(), ...clientToolCall }),
  z.object({
    type: z.literal('approvalRequest'),
    ...call,
    id: z.string(),
    tool: z.string(),
    provider,
    arguments: jsonObject,
    isUsed: z.literal(true).exactOptional(),
  }),
  z.object({
    type: z.literal('toolList'),
    provider,
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string().exactOptional(),
        parameters: jsonObject,
        annotations: jsonObject.exactOptional(),
      }),
    ),
  }),
]) satisfies z.ZodType<TurnItem>;

const turnSchema = z.object({
  systemPrompt: z.string().nullable(),
  instructions: z.string().nullable(),
  messages: z.array(message),
  items: z.array(item),
  approvals: z
    .array(
      z.object({
        requestId: z.string(),
        isApproved: z.boolean(),
        reason: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  stopReason: z
    .enum([
      'eosFound',
      'stopStringFound',
      'maxPredictedTokensReached',
      'contextLengthReached',
      'toolCalls',
    ])
    .nullable(),
  usage: z.object({
    promptTokens: z.number(),
    cachedTokens: z.number(),
    completionTokens: z.number(),
    reasoningTokens: z.number(),
    drafts: z.object({ proposedTokens: z.number(), acceptedTokens: z.number() }).exactOptional(),
  }),
  timings: z.object({
    timeToFirstTokenSeconds: z.number(),
    generationSeconds: z.number(),
    tokensPerSecond: z.number(),
    loadTimeSeconds: z.number().exactOptional(),
  }),
  isInterrupted: z.literal(true).exactOptional(),
  isCancelled: z.literal(true).exactOptional(),
  isBackground: z.literal(true).exactOptional(),
  droppedTurns: z.int().nonnegative().exactOptional(),
  requestedModel: z.string().exactOptional(),
  removed: z
    .array(z.object({ of: z.enum(['input', 'items']), position: z.int().nonnegative() }))
    .exactOptional(),
  metadata: z.record(z.string(), z.string()).exactOptional(),
}) satisfies z.ZodType<ConversationTurn>;

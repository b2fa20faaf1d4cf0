import * as z from 'zod';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ToolContent, ToolProvider } from '../turns/content.ts';
import type { ConversationTurn } from '../turns/conversation-turn.ts';
import type { TurnItem } from '../turns/turn-item.ts';

/**
 * Decodes a turn as Hearth 0.1.0 stored it: the JSON of its v1 API, with the generation's number and the name that the
 * model used added to each call.
 *
 * @throws ZodError if the value does not match.
 */
export function readFirstFormat(value: unknown): ConversationTurn {
  const { systemPrompt, input, output, stats } = firstFormat.parse(value);
  return {
    systemPrompt,
    instructions: null,
    messages: [{ role: 'user', content: input.map(toContent) }],
    items: toItems(output),
    stopReason: null,
    usage: {
      promptTokens: stats.input_tokens,
      cachedTokens: 0,
      completionTokens: stats.total_output_tokens,
      reasoningTokens: stats.reasoning_output_tokens,
    },
    timings: {
      timeToFirstTokenSeconds: stats.time_to_first_token_seconds,
      generationSeconds:
        stats.tokens_per_second > 0 ? stats.total_output_tokens / stats.tokens_per_second : 0,
      tokensPerSecond: stats.tokens_per_second,
      ...omitUndefined({ loadTimeSeconds: stats.model_load_time_seconds }),
    },
  };
}

const providerInfo = z.object({
  type: z.enum(['plugin', 'ephemeral_mcp']),
  plugin_id: z.string().optional(),
  server_label: z.string().optional(),
});
const jsonObject = z.record(z.string(), z.unknown());
const call = { round: z.int().optional(), offered_name: z.string().optional() };

const outputItem = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['message', 'reasoning']), content: z.string() }),
  z.object({
    type: z.literal('tool_call'),
    ...call,
    tool: z.string(),
    arguments: jsonObject,
    output: z.string(),
    provider_info: providerInfo,
  }),
  z.object({
    type: z.literal('invalid_tool_call'),
    ...call,
    reason: z.string(),
    metadata: z.object({
      type: z.enum(['invalid_name', 'invalid_arguments']),
      tool_name: z.string(),
      arguments: jsonObject.optional(),
      provider_info: providerInfo.optional(),
    }),
  }),
]);
type OutputItem = z.infer<typeof outputItem>;
type OutputCall = Exclude<OutputItem, { readonly content: string }>;

const inputItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), content: z.string() }),
  z.object({ type: z.literal('image'), sha256: z.string(), mediaType: z.string() }),
]);

const toolOutput = z.array(z.looseObject({ type: z.string() }));

const firstFormat = z.object({
  systemPrompt: z.string().nullable(),
  input: z.array(inputItem),
  output: z.array(outputItem),
  stats: z.object({
    input_tokens: z.number(),
    total_output_tokens: z.number(),
    reasoning_output_tokens: z.number(),
    tokens_per_second: z.number(),
    time_to_first_token_seconds: z.number(),
    model_load_time_seconds: z.number().optional(),
  }),
});

function toContent(item: z.infer<typeof inputItem>) {
  return item.type === 'text' ? { type: item.type, text: item.content } : item;
}

/** Puts consecutive calls without a number into one generation, after the generation before. */
function toItems(output: readonly OutputItem[]): readonly TurnItem[] {
  const items: TurnItem[] = [];
  let round = -1;
  let wasNumbered = true;
  for (const item of output) {
    if ('content' in item) {
      items.push({ type: item.type, text: item.content });
    } else {
      const isNumbered = item.round !== undefined;
      if (isNumbered || wasNumbered) round = item.round ?? round + 1;
      wasNumbered = isNumbered;
      items.push(toCallItem(item, round));
    }
  }
  return items;
}

function toCallItem(item: OutputCall, round: number): TurnItem {
  if (item.type === 'tool_call') {
    return {
      type: 'toolCall',
      round,
      exposedName: item.offered_name ?? item.tool,
      tool: item.tool,
      provider: toProvider(item.provider_info),
      arguments: item.arguments,
      result: toResult(item.output),
      isError: false,
    };
  }
  const { type, tool_name: tool, arguments: args, provider_info: provider } = item.metadata;
  const isNameKnown = type === 'invalid_arguments';
  return {
    type: 'invalidToolCall',
    round,
    exposedName: item.offered_name ?? tool,
    cause: isNameKnown ? 'invalidArguments' : 'invalidName',
    reason: item.reason,
    ...omitUndefined({
      tool: isNameKnown ? tool : undefined,
      provider: provider === undefined ? undefined : toProvider(provider),
      arguments: args,
    }),
  };
}

function toProvider(info: z.infer<typeof providerInfo>): ToolProvider {
  return info.type === 'plugin'
    ? { type: 'plugin', pluginId: info.plugin_id ?? '' }
    : { type: 'ephemeralMcp', serverLabel: info.server_label ?? '' };
}

/** Parses content blocks from JSON; any other text becomes one block. */
function toResult(output: string): readonly ToolContent[] {
  try {
    return toolOutput.parse(JSON.parse(output));
  } catch {
    return [{ type: 'text', text: output }];
  }
}

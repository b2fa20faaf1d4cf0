import type { ChatResult, ChatStats, OutputItem, StoredOutputItem } from './chat-schema.ts';
import type { ToolContent, ToolProvider } from '../../../store/turns/content.ts';
import type {
  InvalidToolCallItem,
  ToolCallItem,
  TurnItem,
} from '../../../store/turns/turn-item.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { TurnResult } from '../../../chat/turn-event.ts';
import type { ConversationTurn } from '../../../store/turns/conversation-turn.ts';
import { answerSpeed } from '../../../chat/generation-stats.ts';

type ToolCall = Extract<OutputItem, { readonly type: 'tool_call' }>;
type InvalidToolCall = Extract<OutputItem, { readonly type: 'invalid_tool_call' }>;

/** Items that v1 chats can have: no calls that wait for the client, and no tool lists. */
type ChatItem = Exclude<TurnItem, { readonly type: LeftOut }>;
type LeftOut = 'clientToolCall' | 'approvalRequest' | 'toolList';

/** Converts stored items. Responses of other APIs may have calls that the client makes or approves. */
export function toStoredOutput(items: readonly TurnItem[]): StoredOutputItem[] {
  return items.flatMap((item): readonly StoredOutputItem[] => {
    switch (item.type) {
      case 'toolList':
        return [];
      case 'clientToolCall': {
        const { id, name, argumentsJson } = item;
        return [{ type: 'function_call', call_id: id, name, arguments: argumentsJson }];
      }
      case 'approvalRequest': {
        const { id, tool, arguments: args } = item;
        const argumentsJson = JSON.stringify(args);
        return [{ type: 'function_call', call_id: id, name: tool, arguments: argumentsJson }];
      }
      default:
        return [toOutputItem(item)];
    }
  });
}

function toOutputItem(item: ChatItem): OutputItem {
  switch (item.type) {
    case 'message':
    case 'reasoning':
      return { type: item.type, content: item.text };
    case 'toolCall':
      return { type: 'tool_call', ...toToolCall(item) };
    case 'invalidToolCall':
      return {
        type: 'invalid_tool_call',
        reason: item.reason,
        metadata: {
          ...callMetadata(item),
          ...omitUndefined({ arguments: item.arguments && { ...item.arguments } }),
          ...providerOf(item),
        },
      };
  }
}

export function toToolCall(item: ToolCallItem): Omit<ToolCall, 'type'> {
  return {
    tool: item.tool,
    arguments: { ...item.arguments },
    output: toOutputText(item.result),
    ...(item.isError ? { is_error: true } : {}),
    provider_info: toProviderInfo(item.provider),
  };
}

/** The fields of a failed call's event: the item's, with the arguments last. */
export function toToolCallFailure(item: InvalidToolCallItem): Omit<InvalidToolCall, 'type'> {
  return {
    reason: item.reason,
    metadata: {
      ...callMetadata(item),
      ...providerOf(item),
      ...omitUndefined({ arguments: item.arguments && { ...item.arguments } }),
    },
  };
}

export function toProviderInfo(provider: ToolProvider): ToolCall['provider_info'] {
  return provider.type === 'plugin'
    ? { type: 'plugin', plugin_id: provider.pluginId }
    : { type: 'ephemeral_mcp', server_label: provider.serverLabel };
}

function callMetadata({ cause, tool, exposedName, isDenied }: InvalidToolCallItem) {
  return {
    ...(isDenied === true ? { is_denied: isDenied } : {}),
    type: cause === 'invalidName' ? ('invalid_name' as const) : ('invalid_arguments' as const),
    tool_name: tool ?? exposedName,
  };
}

function providerOf({ provider }: InvalidToolCallItem) {
  return provider === undefined ? {} : { provider_info: toProviderInfo(provider) };
}

/** JSON of the content blocks. */
function toOutputText(content: readonly ToolContent[]): string {
  return JSON.stringify(content);
}

export function toChatResult(result: TurnResult): ChatResult {
  const output: OutputItem[] = [];
  for (const item of result.items) {
    switch (item.type) {
      case 'clientToolCall':
      case 'approvalRequest':
      case 'toolList':
        break;
      default:
        output.push(toOutputItem(item));
    }
  }
  return {
    model_instance_id: result.instanceId,
    output,
    stats: toChatStats(result),
    ...omitUndefined({ dropped_turns: result.droppedTurns, response_id: result.responseId }),
  };
}

export function toChatStats({
  usage,
  timings,
}: Pick<ConversationTurn, 'usage' | 'timings'>): ChatStats {
  return {
    input_tokens: usage.promptTokens,
    total_output_tokens: usage.completionTokens,
    reasoning_output_tokens: usage.reasoningTokens,
    tokens_per_second: answerSpeed({ usage, timings }),
    time_to_first_token_seconds: timings.timeToFirstTokenSeconds,
    ...omitUndefined({
      model_load_time_seconds: timings.loadTimeSeconds,
      draft_tokens: usage.drafts?.proposedTokens,
      accepted_draft_tokens: usage.drafts?.acceptedTokens,
    }),
  };
}

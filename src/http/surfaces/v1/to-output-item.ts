import type { OutputItem, StoredOutputItem } from '../../../contract/v1/chat.ts';
import type { ToolContent, ToolProvider } from '../../../conversation/content.ts';
import type {
  InvalidToolCallItem,
  ToolCallItem,
  TurnItem,
} from '../../../conversation/turn-item.ts';
import { omitUndefined } from '../../../omit-undefined.ts';

type ToolCall = Extract<OutputItem, { readonly type: 'tool_call' }>;
type InvalidToolCall = Extract<OutputItem, { readonly type: 'invalid_tool_call' }>;

/** Chats of v1 have no tools of the client. */
export function toOutput(items: readonly TurnItem[]): OutputItem[] {
  return items.flatMap((item) => (item.type === 'clientToolCall' ? [] : [toOutputItem(item)]));
}

/** A stored response of another API may have calls for its client. */
export function toStoredOutput(items: readonly TurnItem[]): StoredOutputItem[] {
  return items.map((item) => {
    if (item.type !== 'clientToolCall') return toOutputItem(item);
    const { id, name, argumentsJson } = item;
    return { type: 'function_call', call_id: id, name, arguments: argumentsJson };
  });
}

function toOutputItem(item: Exclude<TurnItem, { readonly type: 'clientToolCall' }>): OutputItem {
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

/** The event of a failed call has the fields of its item, with the arguments last. */
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

function callMetadata({ cause, tool, exposedName }: InvalidToolCallItem) {
  return {
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

import type { OpenAiOutputItem, OpenAiOutputText } from './response-schema.ts';
import type { ToolContent, ToolProvider } from '../../../store/turns/content.ts';
import type { ConversationTurn } from '../../../store/turns/conversation-turn.ts';
import { isRemoved } from '../../../store/turns/removed-parts.ts';
import type {
  InvalidToolCallItem,
  ToolListItem,
  TurnItem,
} from '../../../store/turns/turn-item.ts';
import { isFileSearch } from '../../../tools/file-search.ts';
import { queriesOf, ReadPassages, toSearchResults } from './file-search.ts';
import type { TokenLogprob } from '../../../engines/engine.ts';

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  mcp_call: 'mcp',
  file_search_call: 'fs',
  mcp_list_tools: 'mcpl',
  mcp_approval_response: 'mcpa',
} as const;

/** The id of an item, which is equal in the stream and in the stored response: `msg_<hex of the response>_0`. */
export function itemId(
  responseId: string,
  type: keyof typeof prefixes,
  index: number | string,
): string {
  return `${prefixes[type]}_${responseId.replace('resp_', '')}_${index}`;
}

/** Extracts the response's id from an item's id; undefined for an id in another format. */
export function responseIdOf(id: string): string | undefined {
  const hex = /^[a-z]+_([0-9a-f]{48})_(?:in)?\d+$/.exec(id)?.[1];
  return hex === undefined ? undefined : `resp_${hex}`;
}

/** Converts a turn's output to items of a response, without removed items. */
export function toOutput(responseId: string, turn: ConversationTurn): OpenAiOutputItem[] {
  const passages = new ReadPassages();
  return turn.items.flatMap((item, position) => {
    passages.add(item);
    if (isRemoved(turn, { of: 'items', position })) return [];
    return [toOutputItem(responseId, item, position, { passages })];
  });
}

interface ItemDetails {
  /** Log probabilities of a message's tokens; not stored. */
  readonly logprobs?: readonly TokenLogprob[];
  /** Sources that a message may cite. */
  readonly passages?: ReadPassages;
  /** True if searches include their results. */
  readonly includesResults?: boolean;
}

export function toOutputItem(
  responseId: string,
  item: TurnItem,
  index: number,
  { logprobs = [], passages, includesResults = false }: ItemDetails = {},
): OpenAiOutputItem {
  switch (item.type) {
    case 'message':
      return {
        id: itemId(responseId, 'message', index),
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [toOutputText(item.text, logprobs, passages)],
      };
    case 'reasoning':
      return {
        id: itemId(responseId, 'reasoning', index),
        type: 'reasoning',
        status: 'completed',
        summary: [],
        content: [{ type: 'reasoning_text', text: item.text }],
      };
    case 'clientToolCall':
      return {
        id: itemId(responseId, 'function_call', index),
        type: 'function_call',
        status: 'completed',
        call_id: item.id,
        name: item.name,
        arguments: item.argumentsJson,
      };
    case 'toolCall': {
      if (isFileSearch(item.provider)) {
        return {
          ...fileSearchCall(responseId, index, item),
          status: item.isError ? 'failed' : 'completed',
          results: includesResults ? toSearchResults(item) : null,
        };
      }
      const text = toText(item.result);
      return {
        ...mcpCall(responseId, index, item),
        status: item.isError ? 'failed' : 'completed',
        name: item.tool,
        arguments: JSON.stringify(item.arguments),
        output: item.isError ? null : text,
        error: item.isError ? text : null,
      };
    }
    case 'invalidToolCall':
      if (isFileSearch(item.provider)) {
        return {
          ...fileSearchCall(responseId, index, item),
          status: 'failed',
          results: null,
        };
      }
      return {
        ...mcpCall(responseId, index, item),
        status: 'failed',
        name: item.tool ?? item.exposedName,
        arguments: JSON.stringify(item.arguments ?? {}),
        output: null,
        error: item.reason,
      };
    case 'approvalRequest':
      return {
        id: item.id,
        type: 'mcp_approval_request',
        server_label: labelOf(item.provider),
        name: item.tool,
        arguments: JSON.stringify(item.arguments),
      };
    case 'toolList':
      return {
        id: itemId(responseId, 'mcp_list_tools', index),
        type: 'mcp_list_tools',
        server_label: labelOf(item.provider),
        tools: item.tools.map(toListedTool),
        error: null,
      };
  }
}

export function toOutputText(
  text: string,
  logprobs: readonly TokenLogprob[],
  passages?: ReadPassages,
): OpenAiOutputText {
  const toFields = ({ token, logprob, bytes }: Omit<TokenLogprob, 'topLogprobs'>) => ({
    token,
    logprob,
    bytes: [...(bytes ?? [])],
  });
  return {
    type: 'output_text',
    text,
    annotations: passages?.citationsOf(text) ?? [],
    logprobs: logprobs.map(({ topLogprobs, ...chosen }) => ({
      ...toFields(chosen),
      top_logprobs: topLogprobs.map(toFields),
    })),
  };
}

export function labelOf(provider: ToolProvider | undefined): string {
  if (provider === undefined) return '';
  return provider.type === 'plugin' ? provider.pluginId : provider.serverLabel;
}

function fileSearchCall(
  responseId: string,
  index: number,
  { arguments: args }: Pick<InvalidToolCallItem, 'arguments'>,
) {
  return {
    id: itemId(responseId, 'file_search_call', index),
    type: 'file_search_call' as const,
    queries: queriesOf(args ?? {}),
  };
}

function mcpCall(
  responseId: string,
  index: number,
  { provider, approvalRequestId }: Pick<InvalidToolCallItem, 'provider' | 'approvalRequestId'>,
) {
  return {
    id: itemId(responseId, 'mcp_call', index),
    type: 'mcp_call' as const,
    server_label: labelOf(provider),
    approval_request_id: approvalRequestId ?? null,
  };
}

function toListedTool({
  name,
  description,
  parameters,
  annotations,
}: ToolListItem['tools'][number]) {
  return {
    name,
    description: description ?? null,
    input_schema: { ...parameters },
    annotations: annotations === undefined ? null : { ...annotations },
  };
}

/** Joins texts. If there is other content, returns JSON of the content blocks. */
function toText(content: readonly ToolContent[]): string {
  const texts = content.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  return texts.length === content.length ? texts.join('\n') : JSON.stringify(content);
}

export function toStreamLogprob({ token, logprob, topLogprobs }: TokenLogprob) {
  return {
    token,
    logprob,
    top_logprobs: topLogprobs.map((other) => ({ token: other.token, logprob: other.logprob })),
  };
}

import type { TurnApproval, TurnContent, TurnMessage } from '../../../chat/turn-request.ts';
import { type HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import type { OpenAiInputItem, OpenAiResponseRequest } from './response-request-schema.ts';
import type { ClientToolCall } from '../../../store/turns/content.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toAudio } from '../chat/to-messages.ts';
import { toFullName } from './namespaces.ts';

type Message = Extract<OpenAiInputItem, { readonly role: string }>;
type Part = Exclude<Message['content'], string>[number];
type ApprovalResponse = Extract<OpenAiInputItem, { readonly type: 'mcp_approval_response' }>;
type ApprovalRequest = Extract<OpenAiInputItem, { readonly type: 'mcp_approval_request' }>;

/** The input of a response, converted for a turn. */
interface ResponseInput {
  readonly messages: readonly TurnMessage[];
  readonly approvals: readonly TurnApproval[];
  /** Labels of the servers whose tools the input lists. */
  readonly listedLabels: readonly string[];
}

/**
 * Converts the input. Consecutive calls belong to one message of the assistant. An approval request becomes the call to
 * which its response belongs, unless the input also has the call's result.
 *
 * @throws HearthError `invalid_value` for an approval request without a response.
 */
export function readInput(input: OpenAiResponseRequest['input']): ResponseInput {
  if (typeof input === 'string') {
    const message = { role: 'user', content: [{ type: 'text', text: input }] } as const;
    return { messages: [message], approvals: [], listedLabels: [] };
  }
  const items = input.filter((item) => !('role' in item)) as Exclude<OpenAiInputItem, Message>[];
  const madeIds = new Set(
    items.flatMap((item) => (item.type === 'mcp_call' ? (item.approval_request_id ?? []) : [])),
  );
  const requests = items.filter((item) => item.type === 'mcp_approval_request');
  const calls = new Map(requests.map((item) => [item.id, item]));
  const responses = items.filter((item) => item.type === 'mcp_approval_response');
  const answeredIds = new Set(responses.map((item) => item.approval_request_id));
  const messages: TurnMessage[] = [];
  /** The calls of the last message. */
  let lastCalls: { readonly of: TurnMessage; readonly calls: ClientToolCall[] } | undefined;
  const addCall = (call: ClientToolCall): void => {
    const last = messages.at(-1);
    if (last !== undefined && last === lastCalls?.of) {
      lastCalls.calls.push(call);
      return;
    }
    const toolCalls = [call];
    const content = last?.role === 'assistant' ? last.content : [];
    if (last?.role === 'assistant') messages.pop();
    const message = { role: 'assistant', content, toolCalls } as const;
    messages.push(message);
    lastCalls = { of: message, calls: toolCalls };
  };
  for (const [index, item] of input.entries()) {
    if ('role' in item) {
      messages.push(toMessage(item as Message));
    } else if (item.type === 'function_call') {
      const name = toFullName(item.name, item.namespace);
      addCall({ id: item.call_id, name, argumentsJson: item.arguments });
    } else if (item.type === 'function_call_output') {
      const { call_id: toolCallId, output } = item;
      messages.push({ role: 'tool', toolCallId, content: toContent(output) });
    } else if (item.type === 'mcp_call') {
      addCall({ id: item.id, name: item.name, argumentsJson: item.arguments });
      const text = item.output ?? (typeof item.error === 'string' ? item.error : '[no output]');
      messages.push({ role: 'tool', toolCallId: item.id, content: [{ type: 'text', text }] });
    } else if (item.type === 'mcp_approval_request' && !madeIds.has(item.id)) {
      if (!answeredIds.has(item.id)) throw unanswered(item, index);
      addCall({ id: item.id, name: item.name, argumentsJson: item.arguments });
    }
  }
  return {
    messages,
    approvals: responses
      .filter((item) => !madeIds.has(item.approval_request_id))
      .map((item) => toApproval(item, calls.get(item.approval_request_id))),
    listedLabels: items.flatMap((item) =>
      item.type === 'mcp_list_tools' && item['error'] == null ? (item.server_label ?? []) : [],
    ),
  };
}

function toApproval(
  { approval_request_id: requestId, approve: isApproved, reason }: ApprovalResponse,
  request: ApprovalRequest | undefined,
): TurnApproval {
  const call = request && {
    tool: request.name,
    provider: { type: 'ephemeralMcp', serverLabel: request.server_label } as const,
    argumentsJson: request.arguments,
  };
  return { requestId, isApproved, ...omitUndefined({ reason: reason ?? undefined, call }) };
}

function unanswered({ id }: ApprovalRequest, index: number): HearthError {
  return invalidValue(
    `input[${index}].id`,
    `The approval request ${JSON.stringify(id.slice(0, 100))} has no \`mcp_approval_response\`.`,
  );
}

function toMessage({ role, content }: Message): TurnMessage {
  const parts = toContent(content);
  return { role: role === 'developer' ? 'system' : role, content: parts };
}

function toContent(content: string | readonly Part[]): readonly TurnContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    if (part.type === 'input_image') return { type: 'image', url: part.image_url };
    if (part.type === 'input_audio') return toAudio(part);
    if (part.type === 'input_file') throw new Error('The file has not been read');
    return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
  });
}

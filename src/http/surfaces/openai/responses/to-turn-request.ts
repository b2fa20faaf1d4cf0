import type { TurnContent, TurnMessage, TurnRequest } from '../../../../chat/turn-request.ts';
import type { ClientToolCall } from '../../../../conversation/content.ts';
import { HearthError } from '../../../../contract/errors.ts';
import type {
  OpenAiFunctionTool,
  OpenAiInputItem,
  OpenAiResponseRequest,
  OpenAiTool,
} from '../../../../contract/openai/response-request.ts';
import type { ReasoningLevel, ResponseFormat, ToolChoice } from '../../../../engine/engine.ts';
import { omitUndefined } from '../../../../omit-undefined.ts';
import type { Integration } from '../../../../tools/toolbox.ts';
import { assertToolCalls } from '../assert-tool-calls.ts';
import { toFullName, toFunctions } from './namespaces.ts';
import {
  assertSupported,
  is,
  isEmptyObject,
  type UnsupportedField,
} from '../../../openai/unsupported-fields.ts';

const unsupported: readonly UnsupportedField[] = [
  { name: 'conversation', reason: 'is not supported: continue with `previous_response_id`.' },
  { name: 'prompt', reason: 'names a template, which this server does not keep.' },
  { name: 'context_management', reason: 'is not supported.', isHarmless: isEmptyObject },
];

type McpTool = Extract<OpenAiTool, { readonly type: 'mcp' }>;
type Message = Extract<OpenAiInputItem, { readonly role: string }>;
type Part = Exclude<Message['content'], string>[number];

/**
 * The turn that a response asks for.
 *
 * @param reasoning What `reasoning.effort` stands for with the model.
 * @throws HearthError `invalid_value` for fields that can't be honoured.
 */
export function toTurnRequest(
  body: OpenAiResponseRequest,
  reasoning: ReasoningLevel | undefined,
): TurnRequest {
  assertSupported(body, unsupported);
  const verbosity = body.text?.['verbosity'];
  assertSupported({ 'text.verbosity': verbosity }, [
    { name: 'text.verbosity', reason: 'must be "medium".', isHarmless: is('medium') },
  ]);
  if (body.background === true && body.store === false) {
    throw new HearthError('invalid_value', '`background` requires `store`.', {
      param: 'background',
    });
  }
  const messages = toMessages(body.input);
  if (messages.length === 0) {
    throw new HearthError('invalid_value', '`input` has nothing for the model to read.', {
      param: 'input',
    });
  }
  if (body.previous_response_id == null) assertToolCalls(messages);
  const tools = allowedTools(body);
  const functions = tools.flatMap(toFunctions);
  const servers = tools.filter((tool) => tool.type === 'mcp');
  const includesLogprobs = body.include?.includes('message.output_text.logprobs') === true;
  return {
    model: body.model ?? undefined,
    messages,
    sampling: omitUndefined({ temperature: body.temperature, topP: body.top_p }),
    integrations: servers.map(toIntegration),
    isStored: body.store ?? true,
    ...(body.truncation === 'auto' ? { dropsOldTurns: true } : {}),
    waitsForLoad: false,
    ...(body.stream === true || body.background === true ? {} : { isWhole: true }),
    // A list would leave every call to the client, whatever its name.
    ...(functions.length === 0 && servers.length > 0
      ? {}
      : { clientTools: functions.map(toDefinition) }),
    ...omitUndefined({
      instructions: body.instructions,
      previousResponseId: body.previous_response_id,
      maxOutputTokens: body.max_output_tokens,
      toolChoice: toToolChoice(body.tool_choice),
      callsInParallel: body.parallel_tool_calls,
      maxToolCalls: body.max_tool_calls,
      responseFormat: toFormat(body),
      topLogprobs: body.top_logprobs ?? (includesLogprobs ? 0 : undefined),
      metadata: body.metadata,
      reasoning,
    }),
  };
}

/** The input as messages; calls that follow each other are those of one message of the assistant. */
export function toMessages(input: OpenAiResponseRequest['input']): readonly TurnMessage[] {
  if (typeof input === 'string') {
    return [{ role: 'user', content: [{ type: 'text', text: input }] }];
  }
  const messages: TurnMessage[] = [];
  const addCall = (call: ClientToolCall): void => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') {
      messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), call] };
    } else {
      messages.push({ role: 'assistant', content: [], toolCalls: [call] });
    }
  };
  for (const item of input) {
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
    }
  }
  return messages;
}

function toMessage({ role, content }: Message): TurnMessage {
  const parts = toContent(content);
  return { role: role === 'developer' ? 'system' : role, content: parts };
}

function toContent(content: string | readonly Part[]): readonly TurnContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    if (part.type === 'input_image') return { type: 'image', url: part.image_url };
    return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
  });
}

function toDefinition(tool: OpenAiFunctionTool) {
  const { name, description, parameters } = tool;
  return {
    name,
    ...omitUndefined({ description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  };
}

function toIntegration(tool: McpTool): Integration {
  const { allowed_tools: allowed, authorization } = tool;
  const headers = {
    ...tool.headers,
    ...(authorization == null ? {} : { Authorization: `Bearer ${authorization}` }),
  };
  return {
    type: 'ephemeralMcp',
    serverLabel: tool.server_label,
    serverUrl: tool.server_url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...omitUndefined({ allowedTools: Array.isArray(allowed) ? allowed : allowed?.tool_names }),
  };
}

/** The tools, or those of them that `allowed_tools` leaves. */
function allowedTools({ tools, tool_choice: choice }: OpenAiResponseRequest): OpenAiTool[] {
  const offered = tools ?? [];
  if (choice == null || typeof choice === 'string' || choice.type !== 'allowed_tools') {
    return offered;
  }
  const isSame = (tool: OpenAiTool, allowed: (typeof choice.tools)[number]): boolean =>
    tool.type === 'mcp'
      ? allowed.type === 'mcp' && allowed.server_label === tool.server_label
      : allowed.type === tool.type && allowed.name === tool.name;
  const missing = choice.tools.findIndex((each) => !offered.some((tool) => isSame(tool, each)));
  if (missing !== -1) {
    throw new HearthError(
      'invalid_value',
      '`tool_choice` allows a tool that `tools` does not have.',
      { param: `tool_choice.tools[${missing}]` },
    );
  }
  return offered.filter((tool) => choice.tools.some((allowed) => isSame(tool, allowed)));
}

function toToolChoice(choice: OpenAiResponseRequest['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (typeof choice === 'string') return choice;
  return choice.type === 'function' ? { name: choice.name } : choice.mode;
}

function toFormat({ text }: OpenAiResponseRequest): ResponseFormat | undefined {
  const format = text?.format;
  if (format == null) return undefined;
  return format.type === 'json_schema'
    ? { type: 'json_schema', schema: format.schema }
    : { type: format.type };
}

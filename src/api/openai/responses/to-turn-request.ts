import type { TurnRequest } from '../../../chat/turn-request.ts';
import { invalidValue } from '../../../kernel/errors/errors.ts';
import type { OpenAiMcpToolFilter } from './mcp-tool-schema.ts';
import type {
  OpenAiFunctionTool,
  OpenAiResponseRequest,
  OpenAiTool,
} from './response-request-schema.ts';
import type { ReasoningLevel, ResponseFormat } from '../../../engines/engine.ts';
import type { ConversationHead } from '../../../store/conversations/conversation.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { ApprovalRule, ToolFilter } from '../../../tools/tool-filter.ts';
import type { Integration } from '../../../tools/toolbox.ts';
import { assertToolCalls } from '../chat/to-messages.ts';
import { toFileSearch } from './file-search.ts';
import { toFunctions } from './namespaces.ts';
import { readInput } from './read-input.ts';
import {
  assertSupported,
  is,
  isEmptyObject,
  type UnsupportedField,
} from '../chat/unsupported-fields.ts';

const unsupported: readonly UnsupportedField[] = [
  { name: 'prompt', reason: 'names a template, which this server does not keep.' },
  { name: 'context_management', reason: 'is not supported.', isHarmless: isEmptyObject },
];

type McpTool = Extract<OpenAiTool, { readonly type: 'mcp' }>;

/**
 * Converts the request for a response to a turn.
 *
 * @param reasoning The level for `reasoning.effort` with this model.
 * @param conversation The conversation that the request names.
 * @throws HearthError `invalid_value` for fields that can't be honored.
 */
export function toTurnRequest(
  body: OpenAiResponseRequest,
  reasoning: ReasoningLevel | undefined,
  conversation?: ConversationHead,
): TurnRequest {
  assertSupported(body, unsupported);
  const verbosity = body.text?.['verbosity'];
  assertSupported({ 'text.verbosity': verbosity }, [
    { name: 'text.verbosity', reason: 'must be "medium".', isHarmless: is('medium') },
  ]);
  if (body.background === true && body.store === false) {
    throw invalidValue('background', '`background` requires `store`.');
  }
  const previousResponseId = body.previous_response_id ?? conversation?.lastResponseId ?? undefined;
  const { messages, approvals, listedLabels } = readInput(body.input);
  if (messages.length === 0 && approvals.length === 0) {
    throw invalidValue('input', '`input` has nothing for the model to read.');
  }
  if (previousResponseId === undefined) assertToolCalls(messages);
  const tools = allowedTools(body);
  const functions = tools.flatMap(toFunctions);
  const servers = tools.filter((tool) => tool.type === 'mcp');
  const searches = tools.filter((tool) => tool.type === 'file_search');
  const includesLogprobs = body.include?.includes('message.output_text.logprobs') === true;
  return {
    model: body.model ?? undefined,
    messages,
    sampling: omitUndefined({ temperature: body.temperature, topP: body.top_p }),
    integrations: [...servers.map(toIntegration), ...searches.map(toFileSearch)],
    isStored: body.store ?? true,
    ...(servers.length > 0 ? { toolLists: { knownLabels: listedLabels } } : {}),
    ...(approvals.length > 0 ? { approvals } : {}),
    ...(body.truncation === 'auto' ? { dropsOldTurns: true } : {}),
    waitsForLoad: body.stream === true,
    ...(body.stream === true || body.background === true ? {} : { isWhole: true }),
    // Even an empty list would leave every unknown call to the client.
    ...(functions.length === 0 && servers.length + searches.length > 0
      ? {}
      : { clientTools: functions.map(toDefinition) }),
    ...omitUndefined({
      instructions: body.instructions,
      previousResponseId,
      conversationId: conversation?.id,
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

function toDefinition(tool: OpenAiFunctionTool) {
  const { name, description, parameters } = tool;
  return {
    name,
    ...omitUndefined({ description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  };
}

function toIntegration(tool: McpTool): Integration {
  const { allowed_tools: listed, require_approval: approval, authorization } = tool;
  const allowed = Array.isArray(listed) ? { tool_names: listed } : listed;
  const { names, isReadOnly } = toToolFilter(allowed);
  const headers = {
    ...tool.headers,
    ...(authorization == null ? {} : { Authorization: `Bearer ${authorization}` }),
  };
  return {
    type: 'ephemeralMcp',
    serverLabel: tool.server_label,
    serverUrl: tool.server_url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...omitUndefined({ allowedTools: names, allowsReadOnly: isReadOnly }),
    ...(approval === 'never' ? {} : { approval: toApprovalRule(approval) }),
  };
}

function toApprovalRule(approval: McpTool['require_approval']): ApprovalRule {
  if (approval == null) return 'always';
  if (typeof approval === 'string') return approval;
  const { always, never } = approval;
  return omitUndefined({
    always: always == null ? undefined : toToolFilter(always),
    never: never == null ? undefined : toToolFilter(never),
  });
}

function toToolFilter(filter: OpenAiMcpToolFilter | null | undefined): ToolFilter {
  return omitUndefined({
    names: filter?.tool_names ?? undefined,
    isReadOnly: filter?.read_only ?? undefined,
  });
}

/** The tools that `tool_choice` allows. */
function allowedTools({ tools, tool_choice: choice }: OpenAiResponseRequest): OpenAiTool[] {
  const offered = tools ?? [];
  if (choice == null || typeof choice === 'string' || choice.type !== 'allowed_tools') {
    return offered;
  }
  const isSame = (tool: OpenAiTool, allowed: (typeof choice.tools)[number]): boolean => {
    if (tool.type === 'mcp')
      return allowed.type === 'mcp' && allowed.server_label === tool.server_label;
    if (tool.type === 'file_search') return allowed.type === 'file_search';
    return allowed.type === tool.type && allowed.name === tool.name;
  };
  const missing = choice.tools.findIndex((each) => !offered.some((tool) => isSame(tool, each)));
  if (missing !== -1) {
    throw invalidValue(
      `tool_choice.tools[${missing}]`,
      '`tool_choice` allows a tool that `tools` does not have.',
    );
  }
  return offered.filter((tool) => choice.tools.some((allowed) => isSame(tool, allowed)));
}

function toToolChoice(choice: OpenAiResponseRequest['tool_choice']): TurnRequest['toolChoice'] {
  if (choice == null) return undefined;
  if (typeof choice === 'string') return choice;
  switch (choice.type) {
    case 'function':
      return { name: choice.name };
    case 'mcp':
      return { serverLabel: choice.server_label, name: choice.name };
    case 'file_search':
      return { name: 'file_search' };
    case 'allowed_tools':
      return choice.mode;
  }
}

function toFormat({ text }: OpenAiResponseRequest): ResponseFormat | undefined {
  const format = text?.format;
  if (format == null) return undefined;
  return format.type === 'json_schema'
    ? { type: 'json_schema', schema: format.schema }
    : { type: format.type };
}

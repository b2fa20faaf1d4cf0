import type { TurnRequest } from '../../chat/turn-request.ts';
import type {
  AnthropicCountTokensRequest,
  AnthropicMessageRequest,
  AnthropicTool,
} from './message-request-schema.ts';
import { HearthError, invalidValue } from '../../kernel/errors/errors.ts';
import type { ToolChoice, ToolDefinition } from '../../engines/engine.ts';
import type { ModelEntry } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { assertSupported, type UnsupportedField } from '../openai/chat/unsupported-fields.ts';
import type { Conversation } from './to-conversation.ts';
import { toMaxReasoningTokens, toReasoning } from './thinking.ts';

const unsupported: readonly UnsupportedField[] = [
  { name: 'thread', reason: 'is not supported: messages are not kept. Send all of them.' },
  { name: 'container', reason: 'needs a code execution tool, which this server does not have.' },
  {
    name: 'mcp_servers',
    reason: 'is not supported: connect tool servers in the client, or use /api/v1/chat.',
    isHarmless: (value) => Array.isArray(value) && value.length === 0,
  },
  {
    name: 'context_management',
    reason: 'is supported for thinking only, which prompts never repeat: prompts are never cut.',
    isHarmless: hasThinkingEditsOnly,
  },
];

/** True if all edits remove earlier thinking, which prompts never contain. Claude Code sends such edits. */
function hasThinkingEditsOnly(value: unknown): boolean {
  const { edits = [] } = value as { readonly edits?: unknown };
  if (!Array.isArray(edits)) return false;
  return edits.every((edit: { readonly type?: unknown } | null) =>
    String(edit?.type).startsWith('clear_thinking_'),
  );
}

/** A body of `/v1/messages`, or of `count_tokens`, which has only the prompt's fields. */
type Body = AnthropicCountTokensRequest & Partial<AnthropicMessageRequest>;

/**
 * Converts a message request to a turn: the whole conversation, with client-side tools.
 *
 * @throws HearthError `invalid_value` for fields that can't be honored.
 */
export function toTurnRequest(
  body: Body,
  { messages }: Conversation,
  model: ModelEntry,
): TurnRequest {
  assertSupported(body, unsupported);
  assertThinking(body, messages.at(-1)?.role === 'assistant');
  const { output_config: output, tool_choice: choice } = body;
  const format = output?.format;
  return {
    model: body.model,
    messages,
    clientTools: toTools(body.tools ?? []),
    sampling: omitUndefined({
      temperature: body.temperature,
      topP: body.top_p,
      topK: body.top_k,
    }),
    integrations: [],
    isStored: false,
    waitsForLoad: body.stream === true,
    ...(body.stream === true ? {} : { isWhole: true }),
    ...omitUndefined({
      systemPrompt: toSystemPrompt(body.system),
      stop: body.stop_sequences,
      maxOutputTokens: body.max_tokens,
      toolChoice: toToolChoice(choice),
      callsInParallel: choice == null || choice.type === 'none' ? undefined : toParallel(choice),
      responseFormat:
        format == null ? undefined : ({ type: 'json_schema', schema: format.schema } as const),
      reasoning: toReasoning(model, body),
      maxReasoningTokens: toMaxReasoningTokens(model, body),
    }),
  };
}

/** Refuses requests for thinking that Anthropic's API refuses, too. @throws HearthError `invalid_value`. */
function assertThinking(
  { thinking, tool_choice: choice, ...body }: Body,
  isPrefilled: boolean,
): void {
  if (thinking == null || thinking.type === 'disabled') return;
  if (choice?.type === 'any' || choice?.type === 'tool') {
    throw invalidValue(
      'thinking',
      'Thinking may not be enabled when `tool_choice` forces tool use.',
    );
  }
  if (isPrefilled) {
    throw invalidValue(
      'messages',
      'The last message must be from the user when `thinking` is enabled: an answer that is begun already has no room for it.',
    );
  }
  if (thinking.type !== 'enabled' || body.max_tokens === undefined) return;
  if (thinking.budget_tokens < body.max_tokens) return;
  throw invalidValue(
    'thinking.budget_tokens',
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  );
}

/** A block that Claude Code adds for billing. It differs in each request, so with it no prompt would be in the cache. */
const attribution = /^x-anthropic-billing-header:/;

function toSystemPrompt(system: Body['system']): string | undefined {
  if (system == null || typeof system === 'string') return system ?? undefined;
  const texts = system.map(({ text }) => text).filter((text) => !attribution.test(text));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function toTools(tools: readonly AnthropicTool[]): readonly ToolDefinition[] {
  const names = new Set<string>();
  return tools.map((tool, index) => {
    const { type, name, description, input_schema: parameters } = tool;
    const path = `tools[${index}]`;
    if (type != null && type !== 'custom') {
      throw invalidValue(
        `${path}.type`,
        `${path} is ${JSON.stringify(type)}, which Anthropic defines or runs. This server has tools of type "custom" only; leave it out.`,
      );
    }
    if (name == null) throw missing(`${path}.name`, 'a string');
    if (parameters == null) throw missing(`${path}.input_schema`, 'a JSON schema');
    if (names.has(name)) {
      throw invalidValue(`${path}.name`, 'Tool names must be unique.');
    }
    names.add(name);
    return { name, parameters, ...omitUndefined({ description }) };
  });
}

function missing(param: string, requirement: string): HearthError {
  const message = `${param} is required; it must be ${requirement}.`;
  return new HearthError('missing_required_parameter', message, { param });
}

function toToolChoice(choice: Body['tool_choice']): ToolChoice | undefined {
  switch (choice?.type) {
    case undefined:
      return undefined;
    case 'any':
      return 'required';
    case 'tool':
      return { name: choice.name };
    case 'auto':
    case 'none':
      return choice?.type;
  }
}

function toParallel(choice: {
  readonly disable_parallel_tool_use?: boolean | null | undefined;
}): boolean | undefined {
  const { disable_parallel_tool_use: isDisabled } = choice;
  return isDisabled == null ? undefined : !isDisabled;
}

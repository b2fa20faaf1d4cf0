import { HearthError, type NameField } from '../../../contract/errors.ts';
import { wellFormedJson } from '../../../net/well-formed-json.ts';
import type {
  ChatGeneration,
  ContentPart,
  EngineMessage,
  ReasoningLevel,
  ResponseFormat,
  ToolCall,
  ToolDefinition,
} from '../../engine.ts';
import { forcedCallSchema, isCallOrFormat } from './forced-call.ts';
import { toGrammarSchema, type SchemaBudget } from './grammar/grammar-schema.ts';
import { generationFields, type GenerationFields } from './sampling-fields.ts';

/** Maximum number of schemas in one request, with references expanded. */
const maxSchemaNodes = 20_000;

/**
 * The body of llama-server's `/v1/chat/completions`. Schemas of tools may be loosened for the engine, since Hearth
 * validates arguments. It does not validate answers, so it rejects a response schema that would lose a constraint.
 *
 * @throws HearthError `invalid_value` for a tool choice that no tool matches, and for a response schema
 *   that the engine cannot enforce.
 */
export function chatBody(request: ChatGeneration): GenerationFields {
  return {
    ...generationFields(request),
    // The decoder finds stop strings, and needs to know how many tokens there were until then.
    stop: undefined,
    timings_per_token: (request.stop ?? []).length > 0 ? true : undefined,
    messages: request.messages.map(wireMessage),
    ...reasoningFields(request.reasoning),
    thinking_budget_tokens: request.maxReasoningTokens,
    response_format: wireResponseFormat(request.responseFormat),
    ...toolFields(request),
    ...logprobFields(request.topLogprobs),
    stream_options: { include_usage: true },
    // OpenAI's `finish_reason` does not distinguish a stop string from the end of the text, nor a full context
    // from `max_tokens`; the engine's own result, reduced to the needed fields, is included with `verbose`.
    verbose: true,
    response_fields: ['stop_type', 'stopping_word', 'truncated'],
  };
}

function wireMessage(message: EngineMessage): object {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
        ...(message.toolCalls === undefined || message.toolCalls.length === 0
          ? {}
          : { tool_calls: message.toolCalls.map(wireToolCall) }),
      };
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: message.toolCallId,
        content: wireContent(message.content),
      };
    default:
      return { role: message.role, content: wireContent(message.content) };
  }
}

function wireContent(content: string | readonly ContentPart[]): string | readonly object[] {
  return typeof content === 'string' ? content : content.map(wirePart);
}

function wirePart(part: ContentPart): object {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: part.dataUrl } };
}

function wireToolCall(call: ToolCall): object {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: parsableArguments(call.argumentsJson) },
  };
}

/** The engine rejects conversations with arguments that are not JSON, so those are wrapped in a JSON object as text. */
function parsableArguments(argumentsJson: string): string {
  try {
    const parsed: object = JSON.parse(argumentsJson);
    // The engine rejects lone surrogates, although they are valid JSON.
    return /\\ud/iu.test(argumentsJson) ? wellFormedJson(parsed) : argumentsJson;
  } catch {
    return JSON.stringify({ unparsed: argumentsJson });
  }
}

function toolFields(request: ChatGeneration): object {
  const { tools = [], toolChoice, callsInParallel } = request;
  if (toolChoice === 'required' && tools.length === 0) {
    throw badToolChoice(
      (field) => `\`${field('toolChoice')}\` is "required"; the request offers no tool.`,
    );
  }
  if (toolChoice === 'required' || isCallOrFormat(request)) {
    return forcedCallFields(tools, toolChoice === 'required' ? undefined : formatSchema(request));
  }
  if (typeof toolChoice !== 'object') {
    if (tools.length === 0) return {};
    const parallel = { parallel_tool_calls: callsInParallel };
    return { tools: wireTools(tools), tool_choice: toolChoice, ...parallel };
  }
  // The engine does not support a choice by name: it gets only that tool and must call it.
  const chosen = tools.filter((tool) => tool.name === toolChoice.name);
  if (chosen.length === 0) {
    const offered = tools.map(({ name }) => `"${name}"`).join(', ') || 'none';
    throw badToolChoice(
      (field) =>
        `\`${field('toolChoice')}\` names the tool "${toolChoice.name}"; the request offers ${offered}.`,
    );
  }
  return forcedCallFields(chosen);
}

/**
 * The tools are in the prompt; the grammar of the answer allows nothing but a call.
 *
 * @param answer Schema that is allowed, too.
 */
function forcedCallFields(tools: readonly ToolDefinition[], answer?: GrammarSchema): object {
  const wire = wireTools(tools);
  const definitions = wire.map(({ function: { name, parameters } }) => ({ name, parameters }));
  const schema = forcedCallSchema(definitions, answer);
  return {
    tools: wire,
    tool_choice: 'none',
    response_format: { type: 'json_schema', json_schema: { name: 'call', strict: true, schema } },
  };
}

function badToolChoice(message: (field: NameField) => string): HearthError {
  return new HearthError('invalid_value', message, { field: 'toolChoice' });
}

function wireTools(tools: readonly ToolDefinition[]) {
  const budget = { nodes: maxSchemaNodes };
  return tools.map((tool) => wireTool(tool, budget));
}

function wireTool(tool: ToolDefinition, budget: SchemaBudget) {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description ?? '',
      parameters: toGrammarSchema(tool.parameters, budget).schema,
    },
  };
}

/** Chat templates read `enable_thinking` or `reasoning_effort`, depending on the model family. */
function reasoningFields(level: ReasoningLevel | undefined): object {
  switch (level) {
    case undefined:
      return {};
    case 'off':
      return { chat_template_kwargs: { enable_thinking: false } };
    case 'on':
      return { chat_template_kwargs: { enable_thinking: true } };
    default:
      return { chat_template_kwargs: { enable_thinking: true, reasoning_effort: level } };
  }
}

function wireResponseFormat(format: ResponseFormat | undefined): object | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: { name: 'response', strict: true, schema: lossless(format.schema) },
  };
}

/** The schema of the format that an answer must have. */
function formatSchema({ responseFormat: format }: ChatGeneration): GrammarSchema {
  return format?.type === 'json_schema' ? lossless(format.schema) : { type: 'object' };
}

type GrammarSchema = ToolDefinition['parameters'];

/** @throws HearthError `invalid_value` for a schema that would lose a constraint. */
function lossless(responseSchema: GrammarSchema): GrammarSchema {
  const { schema, losses } = toGrammarSchema(responseSchema, { nodes: maxSchemaNodes });
  const [loss] = losses;
  if (loss !== undefined) {
    throw new HearthError(
      'invalid_value',
      `The engine cannot enforce the schema: at \`${loss.pointer}\` it ${loss.reason}.`,
      { field: 'responseFormat.schema' },
    );
  }
  return schema;
}

function logprobFields(topLogprobs: number | undefined): object {
  if (topLogprobs === undefined) return {};
  // Zero would switch them off; the decoder cuts the list to the requested length.
  return { logprobs: true, top_logprobs: Math.max(1, topLogprobs) };
}

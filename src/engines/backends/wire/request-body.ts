import { HearthError, type NameField } from '../../../kernel/errors/errors.ts';
import { wellFormedJson } from '../../../platform/net/well-formed-json.ts';
import {
  audioFormat,
  type ChatGeneration,
  type CompletionGeneration,
  type ContentPart,
  type EngineMessage,
  type GenerationRequest,
  type ReasoningLevel,
  type ResponseFormat,
  type Sampling,
  type ToolCall,
  type ToolDefinition,
} from '../../engine.ts';
import type { Feature, JsonSchema, WireDialect } from './dialect.ts';
import { forcedCallSchema, isCallForced, isCallOrFormat } from './forced-call.ts';

interface WireCall {
  /** Relative to the server's base URL. */
  readonly path: string;
  readonly body: object;
}

/**
 * Encodes a generation as a request of the dialect.
 *
 * @param model Name of the model; undefined if the server has only one model.
 * @throws HearthError `invalid_value` for a field or feature that the server lacks, for a tool choice that no tool
 *   matches, and for a response schema that can't be enforced; `infill_unsupported`.
 */
export function wireCall(
  request: GenerationRequest,
  dialect: WireDialect,
  model?: string,
): WireCall {
  if (dialect.lacks !== undefined) assertFeatures(request, dialect.lacks);
  const { maxTokens, stop, sampling } = request;
  // JSON.stringify omits undefined fields.
  const shared = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    [dialect.fields.maxTokens]: maxTokens,
    stop: dialect.stopStrings[request.kind] === 'server' ? stop : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
    ...extraSamplingFields(dialect, sampling),
    ...dialect.ownFields?.(request),
  };
  if (request.kind === 'completion') return completionCall(request, dialect, shared);
  const { topLogprobs } = request;
  const body = {
    ...shared,
    messages: request.messages.map(wireMessage),
    ...reasoningFields(dialect, request),
    response_format: request.responseFormat && wireResponseFormat(dialect, request.responseFormat),
    ...(request.tools || request.toolChoice ? toolFields(dialect, request) : {}),
    ...(topLogprobs === undefined
      ? {}
      : { logprobs: true, top_logprobs: Math.max(dialect.minTopLogprobs, topLogprobs) }),
  };
  return { path: dialect.paths.chat, body };
}

function completionCall(
  { prompt, suffix, topLogprobs }: CompletionGeneration,
  { paths, fields, minTopLogprobs, infill, readsTokenIds, server }: WireDialect,
  shared: object,
): WireCall {
  if (typeof prompt !== 'string' && !readsTokenIds) {
    throw new HearthError(
      'invalid_value',
      (name) => `\`${name('prompt')}\` must be a text: ${server} reads no token ids.`,
      { field: 'prompt' },
    );
  }
  const logprobs = topLogprobs === undefined ? undefined : Math.max(minTopLogprobs, topLogprobs);
  const body = { ...shared, [fields.completionLogprobs]: logprobs };
  if (suffix === undefined) return { path: paths.completion, body: { ...body, prompt } };
  if (infill === undefined) throw unsupported('suffix', server, 'infill_unsupported');
  return { path: infill.path, body: { ...body, [infill.prompt]: prompt, [infill.suffix]: suffix } };
}

function extraSamplingFields({ fields, server }: WireDialect, sampling: Sampling): object {
  const encoded: Record<string, number> = {};
  for (const name of ['topK', 'minP', 'repeatPenalty', 'repeatLastTokens'] as const) {
    const value = sampling[name];
    if (value === undefined) continue;
    const wireName = fields.sampling[name];
    if (wireName === undefined) throw unsupported(`sampling.${name}`, server);
    encoded[wireName] = value;
  }
  return encoded;
}

function wireMessage(message: EngineMessage): object {
  const { role } = message;
  if (role === 'assistant') {
    const { content, toolCalls = [], reasoning } = message;
    return {
      role,
      content,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(wireToolCall) }),
    };
  }
  const content =
    typeof message.content === 'string' ? message.content : message.content.map(wirePart);
  return role === 'tool' ? { role, tool_call_id: message.toolCallId, content } : { role, content };
}

function wirePart(part: ContentPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return { type: 'image_url', image_url: { url: part.dataUrl } };
  const data = part.dataUrl.slice(part.dataUrl.indexOf(',') + 1);
  return { type: 'input_audio', input_audio: { data, format: audioFormat(part) } };
}

function wireToolCall({ id, name, argumentsJson }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: parsableArguments(argumentsJson) } };
}

/**
 * Servers reject conversations with arguments that are not JSON, so such arguments become a text in a JSON object. Some
 * models write nothing for a call without arguments.
 */
function parsableArguments(argumentsJson: string): string {
  if (argumentsJson.trim() === '') return '{}';
  try {
    const parsed: object = JSON.parse(argumentsJson);
    // llama-server rejects lone surrogates, although they are valid JSON.
    return /\\ud/iu.test(argumentsJson) ? wellFormedJson(parsed) : argumentsJson;
  } catch {
    return JSON.stringify({ unparsed: argumentsJson });
  }
}

/** Chat templates read `enable_thinking` or `reasoning_effort`, depending on the model family. */
function reasoningFields(
  { reasoning, fields }: WireDialect,
  { reasoning: level, maxReasoningTokens }: ChatGeneration,
): object {
  const limit =
    fields.maxReasoningTokens === undefined
      ? {}
      : { [fields.maxReasoningTokens]: maxReasoningTokens };
  if (level === undefined) return limit;
  return reasoning === 'effort'
    ? { ...limit, reasoning_effort: efforts[level] }
    : { ...limit, chat_template_kwargs: templateVariables(level) };
}

const efforts = { off: 'none', on: 'medium', low: 'low', medium: 'medium', high: 'high' } as const;

function templateVariables(level: ReasoningLevel): object {
  if (level === 'off' || level === 'on') return { enable_thinking: level === 'on' };
  return { enable_thinking: true, reasoning_effort: level };
}

function wireResponseFormat(dialect: WireDialect, format: ResponseFormat): object | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  return strictFormat('response', answerSchema(dialect, format));
}

function strictFormat(name: string, schema: object): object {
  return { type: 'json_schema', json_schema: { name, strict: true, schema } };
}

/** The schema of an answer in the requested format. */
function answerSchema({ schemas }: WireDialect, format: ResponseFormat | undefined): JsonSchema {
  if (format?.type !== 'json_schema') return { type: 'object' };
  return schemas === undefined ? format.schema : schemas.answer(format.schema);
}

function toolFields(dialect: WireDialect, request: ChatGeneration): object {
  const { tools = [], toolChoice, callsInParallel, responseFormat } = request;
  const isForced = isCallForced(request);
  if (isForced && dialect.toolChoice === 'ignored') throw unsupported('toolChoice', dialect.server);
  if (toolChoice === 'required' && tools.length === 0) {
    throw badToolChoice(
      (field) => `\`${field('toolChoice')}\` requires a call; the request offers no tool.`,
    );
  }
  const chosen =
    typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  if (typeof toolChoice === 'object' && chosen.length === 0) {
    const offered = tools.map(({ name }) => `"${name}"`).join(', ') || 'none';
    throw badToolChoice(
      (field) =>
        `\`${field('toolChoice')}\` names the tool "${toolChoice.name}"; the request offers ${offered}.`,
    );
  }
  if (dialect.toolChoice === 'grammar') {
    // The engine can't be told to call a certain tool, so it gets only that tool and must call it.
    if (isForced) return grammarCallFields(dialect, chosen);
    if (isCallOrFormat(request)) {
      return grammarCallFields(dialect, tools, answerSchema(dialect, responseFormat));
    }
  }
  if (tools.length === 0) return {};
  // This server would offer the tools despite the choice.
  if (toolChoice === 'none' && dialect.toolChoice === 'ignored') return {};
  return {
    tools: wireTools(dialect, tools),
    tool_choice:
      typeof toolChoice === 'object'
        ? { type: 'function', function: { name: toolChoice.name } }
        : toolChoice,
    parallel_tool_calls: callsInParallel,
  };
}

/**
 * Puts the tools into the prompt, and forces a call by a grammar for the answer.
 *
 * @param answer Schema of an answer that is allowed instead of a call.
 */
function grammarCallFields(
  dialect: WireDialect,
  tools: readonly ToolDefinition[],
  answer?: JsonSchema,
): object {
  const wire = wireTools(dialect, tools);
  const definitions = wire.map(({ function: { name, parameters } }) => ({ name, parameters }));
  return {
    tools: wire,
    tool_choice: 'none',
    response_format: strictFormat('call', forcedCallSchema(definitions, answer)),
  };
}

function wireTools({ schemas }: WireDialect, tools: readonly ToolDefinition[]) {
  const adapted = schemas === undefined ? tools : schemas.tools(tools);
  return adapted.map(({ name, description = '', parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
}

function badToolChoice(message: (field: NameField) => string): HearthError {
  return new HearthError('invalid_value', message, { field: 'toolChoice' });
}

function unsupported(
  field: string,
  server: string,
  code: 'invalid_value' | 'infill_unsupported' = 'invalid_value',
): HearthError {
  return new HearthError(code, (name) => `\`${name(field)}\` is not supported by ${server}.`, {
    field,
  });
}

const described: Readonly<Record<Feature, string>> = {
  tools: 'tools',
  json_schema: 'answers that follow a JSON schema',
  json_object: 'answers in JSON',
  images: 'images',
  audio: 'audio',
  logprobs: 'log probabilities',
  completions: 'text completions',
  completionLogprobs: 'log probabilities',
};

/** @throws HearthError `invalid_value` for a feature that the server lacks. */
function assertFeatures(
  request: GenerationRequest,
  lacks: Readonly<Partial<Record<Feature, string>>>,
): void {
  for (const [feature, field] of featuresOf(request)) {
    const reason = lacks[feature];
    if (reason !== undefined) throw lackingFeature(feature, field, reason);
  }
}

/** The features that a request needs, each with the request field that needs it. */
export function featuresOf(request: GenerationRequest): readonly (readonly [Feature, string])[] {
  const needed: (readonly [Feature, string])[] = [];
  if (request.kind === 'completion') {
    needed.push(['completions', 'prompt']);
    if (request.topLogprobs !== undefined) needed.push(['completionLogprobs', 'topLogprobs']);
    return needed;
  }
  const { tools = [], responseFormat, topLogprobs, messages } = request;
  if (tools.length > 0) needed.push(['tools', 'tools']);
  if (responseFormat?.type === 'json_schema') needed.push(['json_schema', 'responseFormat']);
  if (responseFormat?.type === 'json_object') needed.push(['json_object', 'responseFormat']);
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  if (parts.some(({ type }) => type === 'image')) needed.push(['images', 'messages']);
  if (parts.some(({ type }) => type === 'audio')) needed.push(['audio', 'messages']);
  if (topLogprobs !== undefined) needed.push(['logprobs', 'topLogprobs']);
  return needed;
}

/** @param lack Ends the sentence "`field` needs the feature, which ...". */
export function lackingFeature(feature: Feature, field: string, lack: string): HearthError {
  return new HearthError(
    'invalid_value',
    (nameOf) => `\`${nameOf(field)}\` needs ${described[feature]}, which ${lack}`,
    { field },
  );
}

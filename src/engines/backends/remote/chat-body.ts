import { HearthError } from '../../../contract/errors.ts';
import type {
  ChatGeneration,
  CompletionGeneration,
  ContentPart,
  EngineMessage,
  GenerationRequest,
  ReasoningLevel,
  ResponseFormat,
  Sampling,
} from '../../engine.ts';
import type { UpstreamKind } from './upstream.ts';

/** APIs like that of OpenAI: of remote servers, and of mlx-lm on this machine. */
type ServerKind = UpstreamKind | 'mlx';

/** Names of the sampling parameters that OpenAI's API does not have; absent: the server has none of this kind. */
const extraSampling: Readonly<
  Record<
    ServerKind,
    Partial<Record<'topK' | 'minP' | 'repeatPenalty' | 'repeatLastTokens', string>>
  >
> = {
  openai: {},
  ollama: {},
  vllm: { topK: 'top_k', minP: 'min_p', repeatPenalty: 'repetition_penalty' },
  sglang: { topK: 'top_k', minP: 'min_p', repeatPenalty: 'repetition_penalty' },
  'llama-server': {
    topK: 'top_k',
    minP: 'min_p',
    repeatPenalty: 'repeat_penalty',
    repeatLastTokens: 'repeat_last_n',
  },
  mlx: {
    topK: 'top_k',
    minP: 'min_p',
    repeatPenalty: 'repetition_penalty',
    repeatLastTokens: 'repetition_context_size',
  },
};

/**
 * The body of `/chat/completions`.
 *
 * @throws HearthError `invalid_value` for a field that servers of this kind do not support.
 */
export function chatBody(model: string, kind: ServerKind, request: ChatGeneration): object {
  return {
    model,
    ...sharedFields(kind, request),
    messages: request.messages.map(wireMessage),
    ...reasoningFields(kind, request.reasoning),
    ...(kind === 'llama-server' ? { thinking_budget_tokens: request.maxReasoningTokens } : {}),
    response_format: wireResponseFormat(request.responseFormat),
    ...toolFields(kind, request),
    ...(request.topLogprobs === undefined
      ? {}
      : { logprobs: true, top_logprobs: request.topLogprobs }),
  };
}

/**
 * The body of `/completions`.
 *
 * @throws HearthError as `chatBody`.
 */
export function completionBody(
  model: string,
  kind: ServerKind,
  request: CompletionGeneration,
): object {
  return {
    model,
    ...sharedFields(kind, request),
    prompt: request.prompt,
    suffix: request.suffix,
    logprobs: request.topLogprobs,
  };
}

/** JSON.stringify omits undefined fields. */
function sharedFields(kind: ServerKind, { sampling, maxTokens, stop }: GenerationRequest): object {
  return {
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: maxTokens,
    stop,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
    ...extraSamplingFields(kind, sampling),
  };
}

function extraSamplingFields(kind: ServerKind, sampling: Sampling): object {
  const fields: Record<string, number> = {};
  for (const name of ['topK', 'minP', 'repeatPenalty', 'repeatLastTokens'] as const) {
    const value = sampling[name];
    if (value === undefined) continue;
    const wireName = extraSampling[kind][name];
    if (wireName === undefined) throw unsupported(`sampling.${name}`, kind);
    fields[wireName] = value;
  }
  return fields;
}

function wireMessage(message: EngineMessage): object {
  switch (message.role) {
    case 'assistant': {
      const { toolCalls = [] } = message;
      const calls = toolCalls.map(({ id, name, argumentsJson }) => ({
        id,
        type: 'function',
        function: { name, arguments: parsableArguments(argumentsJson) },
      }));
      return {
        role: 'assistant',
        content: message.content,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
    }
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
  if (typeof content === 'string') return content;
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: part.dataUrl } },
  );
}

/** Servers parse the arguments of earlier calls, so those that are not JSON are wrapped as text. */
function parsableArguments(argumentsJson: string): string {
  try {
    JSON.parse(argumentsJson);
    return argumentsJson;
  } catch {
    return JSON.stringify({ unparsed: argumentsJson });
  }
}

function toolFields(
  kind: ServerKind,
  { tools = [], toolChoice, callsInParallel }: ChatGeneration,
): object {
  if (tools.length === 0) {
    if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return {};
    throw new HearthError(
      'invalid_value',
      (name) => `\`${name('toolChoice')}\` asks for a call; the request offers no tool.`,
      { field: 'toolChoice' },
    );
  }
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  const isIgnored = kind === 'ollama' || kind === 'mlx';
  if (isIgnored && isForced) throw unsupported('toolChoice', kind);
  if (isIgnored && toolChoice === 'none') return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description: description ?? '', parameters },
    })),
    tool_choice:
      typeof toolChoice === 'object'
        ? { type: 'function', function: { name: toolChoice.name } }
        : toolChoice,
    parallel_tool_calls: callsInParallel,
  };
}

function wireResponseFormat(format: ResponseFormat | undefined): object | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { schema } = format;
  return { type: 'json_schema', json_schema: { name: 'response', strict: true, schema } };
}

function reasoningFields(kind: ServerKind, level: ReasoningLevel | undefined): object {
  if (level === undefined) return {};
  const effort = level === 'on' ? 'medium' : level;
  if (kind === 'openai' || kind === 'ollama') {
    return { reasoning_effort: effort === 'off' ? 'none' : effort };
  }
  const isOn = level !== 'off';
  return {
    chat_template_kwargs: {
      enable_thinking: isOn,
      ...(isOn && level !== 'on' ? { reasoning_effort: level } : {}),
    },
  };
}

function unsupported(field: string, kind: ServerKind): HearthError {
  const engines =
    kind === 'mlx' ? 'the engine of MLX models' : `remote servers of the kind "${kind}"`;
  return new HearthError(
    'invalid_value',
    (name) => `\`${name(field)}\` is not supported by ${engines}.`,
    { field },
  );
}

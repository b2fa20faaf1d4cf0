import type { TurnRequest } from '../../../chat/turn-request.ts';
import type { OpenAiChatRequest, OpenAiMessage } from '../../../contract/openai/chat-completion.ts';
import type { V0Message } from '../../../contract/v0/chat-completion.ts';
import type { ReasoningLevel, ToolChoice } from '../../../engine/engine.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { toMessage, toResponseFormat, toTools } from '../../openai/conversation.ts';
import { toGenerationOptions } from '../../openai/to-generation-options.ts';
import { HearthError } from '../../../contract/errors.ts';
import { assertToolCalls } from './assert-tool-calls.ts';
import {
  assertSupported,
  is,
  isEmptyObject,
  type UnsupportedField,
} from '../../validation/unsupported-fields.ts';

const isList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const unsupported: readonly UnsupportedField[] = [
  { name: 'audio', reason: 'asks for speech, which this server does not generate.' },
  {
    name: 'modalities',
    reason: 'must be ["text"]: this server generates text only.',
    isHarmless: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
  },
  { name: 'functions', reason: 'was replaced by `tools`.', isHarmless: isList },
  { name: 'function_call', reason: 'was replaced by `tool_choice`.' },
  { name: 'web_search_options', reason: 'needs a web search, which this server does not have.' },
  { name: 'verbosity', reason: 'must be "medium".', isHarmless: is('medium') },
  { name: 'metadata', reason: 'is not kept with completions.', isHarmless: isEmptyObject },
];

/**
 * The turn that a chat completion asks for: the whole conversation, with client-side tools.
 *
 * @param reasoning What `reasoning_effort` stands for with the model.
 * @throws HearthError `invalid_value` for fields that can't be honoured.
 */
export function toTurnRequest(
  body: OpenAiChatRequest,
  reasoning: ReasoningLevel | undefined,
): TurnRequest {
  assertSupported(body, unsupported);
  if (body.store === true && (body.n ?? 1) > 1) {
    throw new HearthError('invalid_value', '`store` keeps one choice; `n` must be 1 with it.', {
      param: 'store',
    });
  }
  const messages = body.messages.map((message) => toMessage(toKnownMessage(message)));
  assertToolCalls(messages);
  const tools = toTools(body.tools);
  const allowed = allowedNames(body, new Set(tools.map(({ name }) => name)));
  return {
    ...toGenerationOptions(body),
    messages,
    clientTools: allowed === undefined ? tools : tools.filter(({ name }) => allowed.has(name)),
    integrations: [],
    isStored: body.store === true,
    ...omitUndefined({
      toolChoice: toToolChoice(body.tool_choice),
      callsInParallel: body.parallel_tool_calls,
      responseFormat: toResponseFormat(body.response_format),
      topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
      reasoning,
    }),
  };
}

/** Each choice has a seed of its own, as they would be the same otherwise. */
export function withSeedOf<Request extends Pick<TurnRequest, 'sampling'>>(
  request: Request,
  index: number,
): Request {
  const { seed } = request.sampling;
  if (seed === undefined || seed < 0 || index === 0) return request;
  return { ...request, sampling: { ...request.sampling, seed: (seed + index) % 2 ** 32 } };
}

function toKnownMessage(message: OpenAiMessage): V0Message {
  if (message.role !== 'assistant' || !Array.isArray(message.content)) return message as V0Message;
  const content = message.content.map((part) =>
    part.type === 'refusal' ? { type: 'text' as const, text: part.refusal } : part,
  );
  return { ...message, content };
}

function toToolChoice(choice: OpenAiChatRequest['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (typeof choice === 'string') return choice;
  return choice.type === 'function' ? { name: choice.function.name } : choice.allowed_tools.mode;
}

/** The tools that `allowed_tools` leaves; undefined where all are allowed. */
function allowedNames(
  { tool_choice: choice }: OpenAiChatRequest,
  offered: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  if (choice == null || typeof choice === 'string' || choice.type !== 'allowed_tools') {
    return undefined;
  }
  const names = choice.allowed_tools.tools.map(({ function: { name } }) => name);
  for (const [index, name] of names.entries()) {
    if (offered.has(name)) continue;
    throw new HearthError(
      'invalid_value',
      `\`tool_choice\` allows the tool ${JSON.stringify(name)}, which \`tools\` does not have.`,
      { param: `tool_choice.allowed_tools.tools[${index}].function.name` },
    );
  }
  return new Set(names);
}

import type { TurnRequest } from '../../../chat/turn-request.ts';
import type { OpenAiChatRequest } from './chat-completion-schema.ts';
import type { ReasoningLevel, ToolChoice } from '../../../engines/engine.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toMessage, toTools, assertToolCalls } from './to-messages.ts';
import { toResponseFormat } from './response-format.ts';
import { toGenerationOptions } from './to-generation-options.ts';
import { invalidValue } from '../../../kernel/errors/errors.ts';
import { assertSupported, unsupportedChatFields } from './unsupported-fields.ts';

/**
 * Converts a chat completion to a turn: the whole conversation, with client-side tools.
 *
 * @param reasoning The level for `reasoning_effort` with this model.
 * @throws HearthError `invalid_value` for fields that can't be honored.
 */
export function toTurnRequest(
  body: OpenAiChatRequest,
  reasoning: ReasoningLevel | undefined,
): TurnRequest {
  assertSupported(body, unsupportedChatFields);
  if (body.store === true && (body.n ?? 1) > 1) {
    throw invalidValue('store', '`store` requires `n` to be 1.');
  }
  if ((body.top_logprobs ?? 0) > 0 && body.logprobs !== true) {
    throw invalidValue('top_logprobs', '`top_logprobs` requires `logprobs` to be true.');
  }
  assertContinuation(body);
  const messages = body.messages.map(toMessage);
  assertToolCalls(messages);
  const tools = toTools(body.tools);
  const choice = body.tool_choice ?? undefined;
  const allowed = choice && allowedNames(choice, new Set(tools.map(({ name }) => name)));
  return {
    ...toGenerationOptions(body),
    messages,
    clientTools: allowed === undefined ? tools : tools.filter(({ name }) => allowed.has(name)),
    integrations: [],
    isStored: body.store === true,
    ...omitUndefined({
      toolChoice: choice && toToolChoice(choice),
      callsInParallel: body.parallel_tool_calls,
      responseFormat: toResponseFormat(body),
      topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
      metadata: body.store === true ? body.metadata : undefined,
      reasoning,
    }),
  };
}

/** @throws HearthError `invalid_value` if vLLM's fields contradict the messages. */
function assertContinuation({
  messages,
  continue_final_message: continues,
  add_generation_prompt: begins,
}: OpenAiChatRequest): void {
  const canContinue = messages.at(-1)?.role === 'assistant';
  if (continues === true && begins === true) {
    throw invalidValue(
      'continue_final_message',
      '`continue_final_message` and `add_generation_prompt` exclude each other. Leave one of them out.',
    );
  }
  if (continues === true && !canContinue) {
    throw invalidValue(
      'continue_final_message',
      '`continue_final_message` is true; the last message must be from the assistant.',
    );
  }
  if (begins === false && !canContinue) {
    throw invalidValue(
      'add_generation_prompt',
      '`add_generation_prompt` is false, which is supported only if the last message is from the assistant.',
    );
  }
}

type WireToolChoice = NonNullable<OpenAiChatRequest['tool_choice']>;

function toToolChoice(choice: WireToolChoice): ToolChoice {
  if (typeof choice === 'string') return choice;
  return choice.type === 'function' ? { name: choice.function.name } : choice.allowed_tools.mode;
}

/** The names of the tools that `tool_choice` allows; undefined if it allows all. */
function allowedNames(
  choice: WireToolChoice,
  offered: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  if (typeof choice === 'string' || choice.type !== 'allowed_tools') {
    return undefined;
  }
  const names = choice.allowed_tools.tools.map(({ function: { name } }) => name);
  for (const [index, name] of names.entries()) {
    if (offered.has(name)) continue;
    throw invalidValue(
      `tool_choice.allowed_tools.tools[${index}].function.name`,
      `\`tool_choice\` allows the tool ${JSON.stringify(name)}, which \`tools\` does not have.`,
    );
  }
  return new Set(names);
}

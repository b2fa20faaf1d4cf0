import type { TurnRequest } from '../../../chat/turn-request.ts';
import type { V0ChatRequest } from './chat-completion-schema.ts';
import type { ReasoningLevel, ToolChoice } from '../../../engines/engine.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toMessage, toTools } from '../chat/to-messages.ts';
import { assertSupported, unsupportedChatFields } from '../chat/unsupported-fields.ts';
import { toResponseFormat } from '../chat/response-format.ts';
import { toGenerationOptions } from '../chat/to-generation-options.ts';

/**
 * The turn of a chat completion: the whole conversation, client-side tools, not stored.
 *
 * @param reasoning what the fields of the request stand for with the model
 * @throws HearthError `invalid_value` for fields that can't be honoured.
 */
export function toTurnRequest(body: V0ChatRequest, reasoning?: ReasoningLevel): TurnRequest {
  assertSupported(body, unsupportedChatFields);
  return {
    ...toGenerationOptions(body),
    messages: body.messages.map(toMessage),
    clientTools: toTools(body.tools),
    integrations: [],
    isStored: false,
    ...omitUndefined({
      toolChoice: toToolChoice(body),
      callsInParallel: body.parallel_tool_calls,
      reasoning,
      responseFormat: toResponseFormat(body),
      topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    }),
  };
}

function toToolChoice({ tool_choice: choice }: V0ChatRequest): ToolChoice | undefined {
  if (choice == null) return undefined;
  return typeof choice === 'string' ? choice : { name: choice.function.name };
}

import { invalidValue } from '../../../kernel/errors/errors.ts';
import type { OpenAiResponseRequest, OpenAiTool } from './response-request-schema.ts';
import { responseDefaults, type OpenAiResponse } from './response-schema.ts';
import type { StopReason, TurnUsage } from '../../../store/turns/conversation-turn.ts';
import type { StoredResponse } from '../../../store/store.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toOutput } from './to-output-item.ts';

/**
 * The conversation's id in a request.
 *
 * @throws HearthError `invalid_value` for fields that can't be combined with a conversation.
 */
export function namedConversation(body: OpenAiResponseRequest): string | undefined {
  const id = conversationIdOf(body);
  const reason =
    body.previous_response_id != null
      ? 'and `previous_response_id` exclude each other: send one of them.'
      : body.store === false
        ? 'requires `store`: the response is added to it.'
        : undefined;
  if (id === undefined || reason === undefined) return id;
  throw invalidValue('conversation', `\`conversation\` ${reason}`);
}

export function conversationIdOf({ conversation }: OpenAiResponseRequest): string | undefined {
  return typeof conversation === 'string' ? conversation : conversation?.id;
}

/** The initial response to a request: in progress, without output. */
export function toInitialResponse(
  id: string,
  model: string,
  body: OpenAiResponseRequest,
): OpenAiResponse {
  return {
    ...responseDefaults,
    id,
    created_at: Math.floor(Date.now() / 1000),
    completed_at: null,
    background: body.background === true,
    status: 'in_progress',
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    conversation: toConversation(conversationIdOf(body)),
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(withoutSecrets),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? 'disabled',
  };
}

/** Converts a stored response. Fields that are not stored have their defaults. */
export function toStoredResponse(
  { id, parentId, createdAt, modelKey, turn }: StoredResponse,
  conversationId: string | undefined,
): OpenAiResponse {
  const { stopReason, instructions, metadata, usage } = turn;
  const isIncomplete = isFull(stopReason);
  const isInterrupted = turn.isInterrupted === true;
  const isFailed = isInterrupted && turn.isCancelled !== true;
  const seconds = Math.floor(createdAt.getTime() / 1000);
  return {
    ...responseDefaults,
    id,
    created_at: seconds,
    background: turn.isBackground === true,
    completed_at: isIncomplete || isInterrupted ? null : seconds,
    status: isInterrupted
      ? isFailed
        ? 'failed'
        : 'cancelled'
      : isIncomplete
        ? 'incomplete'
        : 'completed',
    error: isFailed
      ? {
          code: 'server_error',
          message: 'The generation failed; the output is what it had produced.',
        }
      : null,
    incomplete_details: isIncomplete && !isInterrupted ? { reason: 'max_output_tokens' } : null,
    instructions,
    metadata: { ...metadata },
    model: turn.requestedModel ?? modelKey,
    output: toOutput(id, turn),
    previous_response_id: parentId,
    conversation: toConversation(conversationId),
    text: { format: { type: 'text' } },
    tools: [],
    truncation: turn.droppedTurns === undefined ? 'disabled' : 'auto',
    ...omitUndefined({
      dropped_turns: turn.droppedTurns,
      service_tier: turn.serviceTier,
      // A turn of another app, or one without a generation.
      usage: usage.promptTokens + usage.completionTokens === 0 ? undefined : toUsage(usage),
    }),
  };
}

function toConversation(id: string | undefined): OpenAiResponse['conversation'] {
  return id === undefined ? null : { id };
}

/** True if a generation ended because it reached a limit. */
export function isFull(stopReason: StopReason | null): boolean {
  return stopReason === 'maxPredictedTokensReached' || stopReason === 'contextLengthReached';
}

export function toUsage(usage: TurnUsage): NonNullable<OpenAiResponse['usage']> {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}

function withoutSecrets(tool: OpenAiTool): Record<string, unknown> {
  if (tool.type === 'function') return { strict: null, ...tool };
  if (tool.type !== 'mcp') return tool;
  const { headers: _, authorization: __, ...shown } = tool;
  return shown;
}

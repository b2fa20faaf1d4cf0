import type { TurnEvent } from '../../../chat/turn-event.ts';
import type { ChatEvent } from './chat-event-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { v1Errors } from '../errors.ts';
import { toChatResult, toProviderInfo, toToolCall, toToolCallFailure } from './to-chat-result.ts';
import type { FollowableTurn } from '../../../chat/background/followable-turn.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';

/**
 * Converts an event of a turn to an event of v1; undefined if v1 has none.
 *
 * @param responseId Id of a background turn's response, which clients may need before its end.
 */
export function toChatEvent(event: TurnEvent, responseId?: string): ChatEvent | undefined {
  switch (event.type) {
    case 'turn.start':
      return {
        type: 'chat.start',
        model_instance_id: event.instanceId,
        ...omitUndefined({ response_id: responseId }),
      };
    case 'load.start':
      return { type: 'model_load.start', model_instance_id: event.instanceId };
    case 'load.progress':
      return {
        type: 'model_load.progress',
        model_instance_id: event.instanceId,
        progress: event.fraction,
      };
    case 'load.end':
      return {
        type: 'model_load.end',
        model_instance_id: event.instanceId,
        load_time_seconds: event.loadTimeSeconds,
      };
    case 'queued':
      return { type: 'queued', position: event.position };
    case 'prompt.start':
      return { type: 'prompt_processing.start' };
    case 'prompt.progress': {
      const progress = Math.min(1, event.processedTokens / Math.max(1, event.totalTokens));
      return { type: 'prompt_processing.progress', progress };
    }
    case 'prompt.end':
      return { type: 'prompt_processing.end' };
    case 'reasoning.delta':
    case 'message.delta':
      return { type: event.type, content: event.text };
    case 'reasoning.start':
    case 'reasoning.end':
    case 'message.start':
    case 'message.end':
      return { type: event.type };
    case 'toolCall.start': {
      if (event.tool === undefined) return undefined;
      const { name, provider } = event.tool;
      return { type: 'tool_call.start', tool: name, provider_info: toProviderInfo(provider) };
    }
    case 'toolCall.arguments':
      return {
        type: 'tool_call.arguments',
        tool: event.tool.name,
        arguments: { ...event.arguments },
        provider_info: toProviderInfo(event.tool.provider),
      };
    case 'toolCall.approvalStart':
      return {
        type: 'tool_call.approval_required',
        call_id: event.id,
        tool: event.tool.name,
        arguments: { ...event.arguments },
        annotations: { ...event.hints },
        expires_at: event.expiresAt,
        provider_info: toProviderInfo(event.tool.provider),
      };
    case 'toolCall.approvalEnd':
      return { type: 'tool_call.approval_resolved', call_id: event.id, approved: event.isApproved };
    case 'toolCall.success':
      return { type: 'tool_call.success', ...toToolCall(event.item) };
    case 'toolCall.failure':
      return { type: 'tool_call.failure', ...toToolCallFailure(event.item) };
    case 'toolCall.delta':
    case 'toolCall.end':
    case 'toolCall.approval':
    case 'toolList.start':
    case 'toolList.end':
    case 'toolList.failure':
      return undefined;
    case 'turn.error':
      return { type: 'error', error: v1Errors.serialize(event.error).body.error };
    case 'turn.end':
      return { type: 'chat.end', result: toChatResult(event.result) };
  }
}

/** Streams the events of a background turn after a position, including future ones. Event ids are positions. */
export function followTurn(turn: FollowableTurn, after: number, context: RequestContext): Response {
  return eventStream(toMessages(turn, after, context), context);
}

async function* toMessages(
  turn: FollowableTurn,
  after: number,
  { signal }: RequestContext,
): AsyncGenerator<SseMessage> {
  try {
    for await (const { sequence, value } of turn.events(after, signal)) {
      const event = toChatEvent(value, turn.id);
      if (event === undefined) continue;
      yield { event: event.type, id: String(sequence), data: JSON.stringify(event) };
    }
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const { error: body } = v1Errors.serialize(error).body;
    yield { event: 'error', data: JSON.stringify({ type: 'error', error: body }) };
  }
}

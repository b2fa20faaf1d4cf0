import type { GenerationSummary, TurnEvent } from '../../../chat/turn-event.ts';
import type { V0FinishReason } from '../v0/result-schema.ts';
import type { StopReason } from '../../../store/turns/conversation-turn.ts';
import type { V0ChatResult } from '../v0/chat-completion-schema.ts';
import type { V0CompletionLogprobs } from '../v0/text-completion-schema.ts';
import type { TokenLogprob } from '../../../engines/engine.ts';
import type { OpenAiChatCompletion, OpenAiTokenLogprob } from './chat-completion-schema.ts';
import type { TurnItem } from '../../../store/turns/turn-item.ts';
import { randomBytes } from 'node:crypto';

const finishReasons: Readonly<Record<StopReason, V0FinishReason>> = {
  eosFound: 'stop',
  stopStringFound: 'stop',
  maxPredictedTokensReached: 'length',
  contextLengthReached: 'length',
  toolCalls: 'tool_calls',
};

/** The finish reason of a choice, in OpenAI's terms. */
export function toFinishReason({ stopReason }: Pick<GenerationSummary, 'stopReason'>) {
  return finishReasons[stopReason ?? 'eosFound'];
}

type V0ChatLogprobs = V0ChatResult['choices'][number]['logprobs'];

/** OpenAI's format for chats; null if the request asked for none. */
export function toV0Logprobs(logprobs: readonly TokenLogprob[] | undefined): V0ChatLogprobs {
  if (logprobs === undefined || logprobs.length === 0) return null;
  return {
    content: logprobs.map(({ token, logprob, bytes, topLogprobs }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: topLogprobs,
    })),
  };
}

/** OpenAI's older format for text completions; offsets are relative to the start of the text. */
export function toCompletionLogprobs(
  logprobs: readonly TokenLogprob[] | undefined,
  textOffset: number,
): V0CompletionLogprobs {
  if (logprobs === undefined || logprobs.length === 0) return null;
  let offset = textOffset;
  const text_offset = logprobs.map(({ token }) => {
    const start = offset;
    offset += token.length;
    return start;
  });
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ topLogprobs }) =>
      Object.fromEntries(topLogprobs.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset,
  };
}

/** Null if the request asked for none. */
export function toLogprobs(
  logprobs: readonly TokenLogprob[] | undefined,
): OpenAiChatCompletion['choices'][number]['logprobs'] {
  if (logprobs === undefined || logprobs.length === 0) return null;
  return { content: logprobs.map(toTokenLogprob), refusal: null };
}

function toTokenLogprob({ topLogprobs, ...chosen }: TokenLogprob): OpenAiTokenLogprob {
  return { ...toFields(chosen), top_logprobs: topLogprobs.map(toFields) };
}

function toFields({ token, logprob, bytes }: Omit<TokenLogprob, 'topLogprobs'>) {
  return { token, logprob, bytes: bytes === null ? null : [...bytes] };
}

/** Converts an event to the delta of a choice's message; undefined if the event adds nothing. */
export function toChatDelta(event: TurnEvent) {
  switch (event.type) {
    case 'message.delta':
      return { content: event.text };
    case 'reasoning.delta':
      return { reasoning_content: event.text };
    case 'toolCall.delta': {
      if (!event.isForClient) return undefined;
      const { index, id, name, argumentsJson } = event;
      const opening = id === undefined ? {} : { id, type: 'function' as const };
      const named = name === undefined ? {} : { name };
      return {
        tool_calls: [{ index, ...opening, function: { ...named, arguments: argumentsJson } }],
      };
    }
    default:
      return undefined;
  }
}

/** The fields of a choice's message, without the role. */
export function toChatMessage(items: readonly TurnItem[]) {
  const reasoning = textOf(items, 'reasoning');
  const calls = items.filter((item) => item.type === 'clientToolCall');
  const toolCalls = calls.map(({ id, name, argumentsJson }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: argumentsJson },
  }));
  return {
    content: textOf(items, 'message'),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

function textOf(items: readonly TurnItem[], type: 'message' | 'reasoning'): string {
  return items.flatMap((item) => (item.type === type ? [item.text] : [])).join('');
}

/** The fields that all chunks of a completion and a whole completion begin with. */
export function completionHead<Name extends string>(
  prefix: 'chatcmpl' | 'cmpl',
  object: Name,
): { readonly id: string; readonly object: Name; readonly created: number } {
  let id = `${prefix}-`;
  // 21 bytes in base 36.
  for (const byte of randomBytes(21)) id += (byte % 36).toString(36);
  return { id, object, created: Math.floor(Date.now() / 1000) };
}

import { parseArguments } from '../../chat/tool-call.ts';
import type { CompletionEvent, CompletionResult } from '../../chat/run-completion.ts';
import type { GenerationSummary, TurnEvent, TurnResult } from '../../chat/turn-event.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { JsonObject } from '../../store/turns/content.ts';
import type { ClientToolCallItem } from '../../store/turns/turn-item.ts';
import type { TokenLogprob } from '../../engines/engine.ts';
import { toChatMessage } from '../openai/chat/choice-fields.ts';

/** A call of a tool that the client runs. */
export interface AnswerCall {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A part of an answer to a chat or a raw prompt; `end` is the last one. */
export type AnswerEvent =
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'text';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | { readonly type: 'call'; readonly call: AnswerCall }
  | { readonly type: 'end'; readonly summary: GenerationSummary };

/**
 * Returns a function that converts an event to a part of the answer; undefined if the event adds none. It throws the
 * error of `turn.error`, and `internal` if a call has arguments that are not a JSON object.
 */
export function createAnswerEvents(): (
  event: TurnEvent | CompletionEvent,
) => AnswerEvent | undefined {
  let callCount = 0;
  return (event) => {
    switch (event.type) {
      case 'reasoning.delta':
        return { type: 'thinking', text: event.text };
      case 'message.delta':
      case 'text.delta':
        return { ...event, type: 'text' };
      case 'toolCall.end': {
        const call = toCall(event.item, callCount);
        callCount += 1;
        return { type: 'call', call };
      }
      case 'turn.error':
        throw event.error;
      case 'turn.end':
      case 'completion.end':
        return { type: 'end', summary: event.result };
      default:
        return undefined;
    }
  };
}

/** Joins all parts of an answer. */
export function toAnswerParts(result: TurnResult | CompletionResult): {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly AnswerCall[];
} {
  if ('text' in result) return { text: result.text, thinking: '', calls: [] };
  const { content, reasoning_content: thinking = '' } = toChatMessage(result.items);
  const calls = result.items.filter((item) => item.type === 'clientToolCall');
  return { text: content, thinking, calls: calls.map(toCall) };
}

function toCall({ id, name, argumentsJson }: ClientToolCallItem, index: number): AnswerCall {
  const parsed = parseArguments(argumentsJson);
  if (parsed !== undefined) return { id, index, name, arguments: parsed };
  throw new HearthError(
    'internal',
    `The model called ${JSON.stringify(name)} with arguments that are not a JSON object.`,
  );
}

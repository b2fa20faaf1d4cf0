import { parseArguments } from '../../../chat/tool-call.ts';
import type { CompletionEvent } from '../../../chat/run-completion.ts';
import type { GenerationSummary, TurnEvent } from '../../../chat/turn-event.ts';
import { HearthError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../conversation/content.ts';
import type { ClientToolCallItem } from '../../../conversation/turn-item.ts';
import type { TokenLogprob } from '../../../engines/engine.ts';

/** A call of a tool that the client runs. */
export interface AnswerCall {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What an answer consists of, of a chat or a raw prompt; `end` comes last. */
export type AnswerEvent =
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'text';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | { readonly type: 'call'; readonly call: AnswerCall }
  | { readonly type: 'end'; readonly summary: GenerationSummary };

/** @throws HearthError that of `turn.error`; `internal` if a call has arguments that are not a JSON object. */
export async function* fromTurn(events: AsyncIterable<TurnEvent>): AsyncGenerator<AnswerEvent> {
  let callCount = 0;
  for await (const event of events) {
    switch (event.type) {
      case 'reasoning.delta':
        yield { type: 'thinking', text: event.text };
        break;
      case 'message.delta':
        yield { ...event, type: 'text' };
        break;
      case 'toolCall.end':
        yield { type: 'call', call: toCall(event.item, callCount) };
        callCount += 1;
        break;
      case 'turn.error':
        throw event.error;
      case 'turn.end':
        yield { type: 'end', summary: event.result };
        break;
      default:
    }
  }
}

export async function* fromCompletion(
  events: AsyncIterable<CompletionEvent>,
): AsyncGenerator<AnswerEvent> {
  for await (const event of events) {
    if (event.type === 'text.delta') yield { ...event, type: 'text' };
    if (event.type === 'completion.end') yield { type: 'end', summary: event.result };
  }
}

function toCall({ id, name, argumentsJson }: ClientToolCallItem, index: number): AnswerCall {
  const parsed = parseArguments(argumentsJson);
  if (parsed !== undefined) return { id, index, name, arguments: parsed };
  throw new HearthError(
    'internal',
    `The model called ${JSON.stringify(name)} with arguments that are not a JSON object.`,
  );
}

import { newCallId } from '../engines/backends/new-call-id.ts';
import type { ClientToolCall } from '../conversation/content.ts';
import type { GenerationEvent } from '../engines/engine.ts';

type CallDelta = Extract<GenerationEvent, { readonly type: 'toolCall.delta' }>;

interface PartialCall {
  readonly id: string;
  name: string;
  argumentsJson: string;
}

/** Joins the pieces of the calls of one generation. */
export class ToolCallAccumulator {
  readonly #calls: PartialCall[] = [];
  /** The calls by the engine's index, with their position in `#calls`. */
  readonly #begun = new Map<number, { readonly position: number; readonly call: PartialCall }>();

  /** Adds a piece and returns the position of its call in the generation. */
  add({ index, id, name = '', argumentsJson }: CallDelta): number {
    const begun = this.#begun.get(index);
    if (begun !== undefined) {
      begun.call.name += name;
      begun.call.argumentsJson += argumentsJson;
      return begun.position;
    }
    const call = { id: id ?? newCallId(), name, argumentsJson };
    const position = this.#calls.push(call) - 1;
    this.#begun.set(index, { position, call });
    return position;
  }

  /** The current state of a call; undefined if there is none. */
  at(position: number): ClientToolCall | undefined {
    return this.#calls[position];
  }

  get count(): number {
    return this.#calls.length;
  }
}

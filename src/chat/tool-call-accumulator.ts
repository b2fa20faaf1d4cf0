import { randomBytes } from 'node:crypto';
import type { ClientToolCall } from '../conversation/content.ts';
import type { GenerationEvent } from '../engine/engine.ts';

type CallDelta = Extract<GenerationEvent, { readonly type: 'toolCall.delta' }>;

interface PartialCall {
  readonly id: string;
  name: string;
  argumentsJson: string;
}

/** Joins the pieces of the calls of one generation. */
export class ToolCallAccumulator {
  readonly #calls: PartialCall[] = [];
  /** The engine's index of a call, and its position in `#calls`. */
  readonly #positions = new Map<number, number>();

  /** Adds a piece and returns the position of its call in the generation. */
  add({ index, id, name = '', argumentsJson }: CallDelta): number {
    const position = this.#positions.get(index);
    const call = position === undefined ? undefined : this.#calls[position];
    if (position !== undefined && call !== undefined) {
      call.name += name;
      call.argumentsJson += argumentsJson;
      return position;
    }
    this.#positions.set(index, this.#calls.length);
    return this.#calls.push({ id: id ?? newCallId(), name, argumentsJson }) - 1;
  }

  /** The current state of a call; undefined if there is none. */
  at(position: number): ClientToolCall | undefined {
    return this.#calls[position];
  }

  get count(): number {
    return this.#calls.length;
  }
}

/** Nine letters and digits, which every chat template accepts. */
function newCallId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}

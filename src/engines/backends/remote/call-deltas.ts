import { newCallId } from '../new-call-id.ts';
import type { GenerationEvent } from '../../engine.ts';
import type { WireCallDelta } from './wire-chunk.ts';

type CallEvent = Extract<GenerationEvent, { type: 'toolCall.delta' }>;

/**
 * Puts the deltas of tool calls in order. Servers interleave the deltas of parallel calls, leave out the index, begin a
 * second call under the index of the first, or send no id.
 */
export class CallDeltas {
  /** Number of the call by the server's index. */
  readonly #numbers = new Map<number, number>();
  readonly #ids: string[] = [];

  /** Calls so far. */
  get count(): number {
    return this.#ids.length;
  }

  accept(deltas: readonly WireCallDelta[]): readonly CallEvent[] {
    return deltas.flatMap((delta) => {
      const { id, function: called } = delta;
      const wireIndex = delta.index ?? Math.max(0, this.#ids.length - 1);
      const known = this.#numbers.get(wireIndex);
      const isOther = Boolean(id) && known !== undefined && this.#ids[known] !== id;
      const name = called?.name ?? '';
      const argumentsJson = called?.arguments ?? '';
      if (known !== undefined && !(isOther && name !== '')) {
        return argumentsJson === ''
          ? []
          : [{ type: 'toolCall.delta', index: known, argumentsJson }];
      }
      // A call without a name can't be made, and its arguments belong to none.
      if (name === '') return [];
      const index = this.#ids.length;
      const callId = id || newCallId();
      this.#ids.push(callId);
      this.#numbers.set(wireIndex, index);
      return [{ type: 'toolCall.delta', index, id: callId, name, argumentsJson }];
    });
  }
}

import { newCallId } from '../new-call-id.ts';
import type { GenerationEvent, TokenLogprob } from '../../engine.ts';
import type { WireCallDelta } from './stream-event.ts';

type TextKind = 'reasoning.delta' | 'content.delta';

/**
 * Collects the events of one read. A fast model sends many tokens in one read; its consecutive deltas of one kind
 * become one event, which saves work downstream. Numbers the tool calls.
 */
export class AnswerEvents {
  readonly #maxCalls: number;
  #events: GenerationEvent[] = [];
  #kind: TextKind | undefined;
  #text = '';
  /** Pieces of `#text`, which are tokens for most servers. */
  #tokens = 0;
  #hasOutput = false;
  #hasAnswer = false;
  readonly #callIds: string[] = [];
  /** Number of the call by the server's index. */
  readonly #callNumbers = new Map<number, number>();

  /** @param maxCalls Further calls are left out: servers may ignore `parallel_tool_calls`. */
  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** True if there is more than reasoning. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  get callCount(): number {
    return this.#callIds.length;
  }

  /** Log probabilities are never merged. */
  addText(type: TextKind, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (text === '') return;
    this.#hasOutput = true;
    if (type === 'content.delta') this.#hasAnswer = true;
    if (logprobs !== undefined && logprobs.length > 0 && type === 'content.delta') {
      this.add({ type, text, logprobs });
      return;
    }
    if (this.#kind !== type) {
      this.#flush();
      this.#kind = type;
    }
    this.#text += text;
    this.#tokens += 1;
  }

  /** Adds a piece of a call that Hearth found in the text; one without a name continues the last call. */
  addCall(call: { readonly name?: string; readonly argumentsJson: string }): void {
    if (call.name === undefined) this.#addCall({ ...call, index: this.callCount - 1 });
    else this.#beginCall(newCallId(), call.name, call.argumentsJson);
  }

  /**
   * Adds the deltas of calls that the server parsed. Servers interleave the deltas of parallel calls, leave out the
   * index, begin a second call under the index of the first, or send no id.
   */
  addCallDeltas(deltas: readonly WireCallDelta[]): void {
    for (const {
      index: wireIndex = Math.max(0, this.callCount - 1),
      id,
      function: called,
    } of deltas) {
      const known = this.#callNumbers.get(wireIndex);
      const isOther = Boolean(id) && known !== undefined && this.#callIds[known] !== id;
      const name = called?.name ?? '';
      const argumentsJson = called?.arguments ?? '';
      if (known !== undefined && !(isOther && name !== '')) {
        if (argumentsJson !== '') this.#addCall({ index: known, argumentsJson });
      } else if (name !== '') {
        // A call without a name can't be made, and its arguments belong to none.
        this.#callNumbers.set(wireIndex, this.callCount);
        this.#beginCall(id || newCallId(), name, argumentsJson);
      }
    }
  }

  add(event: GenerationEvent): void {
    this.#flush();
    this.#events.push(event);
  }

  /** Returns the collected events and clears the batch. */
  take(): readonly GenerationEvent[] {
    this.#flush();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #beginCall(id: string, name: string, argumentsJson: string): void {
    this.#callIds.push(id);
    this.#addCall({ index: this.callCount - 1, id, name, argumentsJson });
  }

  #addCall(delta: Omit<Extract<GenerationEvent, { type: 'toolCall.delta' }>, 'type'>): void {
    if (delta.index >= this.#maxCalls) return;
    this.#hasOutput = true;
    this.#hasAnswer = true;
    this.add({ type: 'toolCall.delta', ...delta });
  }

  #flush(): void {
    if (this.#kind === undefined) return;
    const tokens = this.#tokens === 1 ? {} : { tokens: this.#tokens };
    this.#events.push({ type: this.#kind, text: this.#text, ...tokens });
    this.#tokens = 0;
    this.#kind = undefined;
    this.#text = '';
  }
}

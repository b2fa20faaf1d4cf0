import type { GenerationEvent } from '../../engine.ts';

type DeltaKind = 'reasoning.delta' | 'content.delta';

/**
 * Collects the events of one socket read. A fast model sends many tokens in one read; its consecutive
 * deltas of one kind become one event, which saves work downstream.
 */
export class EventBatch {
  #events: GenerationEvent[] = [];
  #kind: DeltaKind | undefined;
  #text = '';
  #tokens = 0;

  addText(kind: DeltaKind, text: string): void {
    if (this.#kind !== kind) {
      this.#flush();
      this.#kind = kind;
    }
    this.#text += text;
    this.#tokens += 1;
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

  #flush(): void {
    if (this.#kind === undefined) return;
    const tokens = this.#tokens === 1 ? {} : { tokens: this.#tokens };
    this.#events.push({ type: this.#kind, text: this.#text, ...tokens });
    this.#tokens = 0;
    this.#kind = undefined;
    this.#text = '';
  }
}

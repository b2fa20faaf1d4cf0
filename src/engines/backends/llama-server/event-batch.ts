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

  addText(kind: DeltaKind, text: string): void {
    if (this.#kind !== kind) {
      this.#flush();
      this.#kind = kind;
    }
    this.#text += text;
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
    this.#events.push({ type: this.#kind, text: this.#text });
    this.#kind = undefined;
    this.#text = '';
  }
}

/** Reports a call's progress to its client: the first state at once, then the newest state each second. */
export class Progress {
  readonly #send: (step: number, state: string) => void;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #state = '';
  #step = 0;

  /** @param send Receives an increasing step: clients wait longer for a call that makes progress. */
  constructor(send: (step: number, state: string) => void, intervalMs = 1000) {
    this.#send = send;
    this.#intervalMs = intervalMs;
  }

  readonly report = (state: string): void => {
    this.#state = state;
    if (this.#timer !== undefined) return;
    this.#next();
    this.#timer = setInterval(() => this.#next(), this.#intervalMs).unref();
  };

  close(): void {
    clearInterval(this.#timer);
  }

  #next(): void {
    this.#step += 1;
    this.#send(this.#step, this.#state);
  }
}

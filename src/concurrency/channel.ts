/** Turns pushed values into an async iteration for one reader. */
export interface Channel<T> extends AsyncIterable<T> {
  readonly push: (value: T) => void;
  /** Ends the iteration after what was pushed. */
  readonly close: () => void;
}

export function createChannel<T>(): Channel<T> {
  const values: T[] = [];
  let isClosed = false;
  let wake = (): void => {};
  return {
    push: (value) => {
      values.push(value);
      wake();
    },
    close: () => {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        yield* values.splice(0);
        if (values.length > 0) continue;
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

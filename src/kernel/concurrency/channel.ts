/** The reader of a channel fell too far behind. */
export class ChannelOverflowError extends Error {
  override readonly name = 'ChannelOverflowError';
}

/** Turns pushed values into an async iteration for one reader. */
export interface Channel<T> extends AsyncIterable<T> {
  /** Values pushed after `close` are dropped. */
  readonly push: (value: T) => void;
  /** Ends the iteration after the values pushed so far. */
  readonly close: () => void;
}

const defaultMaxLength = 65_536;

/**
 * @param maxLength Maximum number of buffered values. One more closes the channel, and the iteration
 *   throws `ChannelOverflowError` after the buffered values.
 */
export function createChannel<T>(maxLength = defaultMaxLength): Channel<T> {
  const values: T[] = [];
  let isClosed = false;
  let hasOverflowed = false;
  let wake = (): void => {};
  return {
    push: (value) => {
      if (isClosed) return;
      if (values.length >= maxLength) {
        hasOverflowed = true;
        isClosed = true;
      } else {
        values.push(value);
      }
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
        if (hasOverflowed) throw new ChannelOverflowError(`more than ${maxLength} values wait`);
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

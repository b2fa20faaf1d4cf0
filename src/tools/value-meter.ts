const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A message of a tool server has more values than are parsed. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';

  constructor(maxValues: number) {
    super(`a message of more than ${maxValues} JSON values`);
  }
}

/**
 * Counts the values of JSON as its bytes arrive, since parsed values can take much more memory: `[[],[],…]` takes forty
 * times its size. JSON strings contain no line breaks, so each line begins outside of a string.
 */
export class ValueMeter {
  readonly #maxValues: number;
  readonly #isEventStream: boolean;
  #values = 0;
  #isInString = false;
  #isEscaped = false;
  #isLineEmpty = true;

  /** @param isEventStream True if an empty line ends a message, as in server-sent events. */
  constructor(maxValues: number, isEventStream = false) {
    this.#maxValues = maxValues;
    this.#isEventStream = isEventStream;
  }

  /** @throws TooManyValuesError */
  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === lineFeed || byte === carriageReturn) {
        if (this.#isLineEmpty && this.#isEventStream) this.#endMessage();
        if (byte === lineFeed) this.#isLineEmpty = true;
        this.#isInString = false;
        this.#isEscaped = false;
        continue;
      }
      this.#isLineEmpty = false;
      if (!this.#isInString) {
        if (byte === quote) this.#isInString = true;
        else if (byte === comma || byte === openBracket || byte === openBrace) this.#values += 1;
      } else if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (byte === backslash) {
        this.#isEscaped = true;
      } else if (byte === quote) {
        this.#isInString = false;
      }
    }
    this.#assertFew();
  }

  #endMessage(): void {
    this.#assertFew();
    this.#values = 0;
  }

  #assertFew(): void {
    if (this.#values > this.#maxValues) throw new TooManyValuesError(this.#maxValues);
  }
}

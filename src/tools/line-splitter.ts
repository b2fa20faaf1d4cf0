/** A line is longer than the bound. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

const newline = 0x0a;

/** Splits a stream of bytes into lines. Keeps at most one line, of a bounded length. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Yields the lines that the chunk completes, without their line breaks.
   *
   * @throws LineTooLongError
   */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      const piece = chunk.subarray(start, end === -1 ? undefined : end);
      this.#heldBytes += piece.length;
      if (this.#heldBytes > this.#maxBytes) throw new LineTooLongError();
      if (piece.length > 0) this.#pieces.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(this.#pieces, this.#heldBytes).toString();
      this.#pieces = [];
      this.#heldBytes = 0;
      start = end + 1;
      yield line;
    }
  }
}

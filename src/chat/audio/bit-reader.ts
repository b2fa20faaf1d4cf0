/** Reads numbers of any bit length from bytes, the highest bit first. Throws a RangeError after the end. */
export class BitReader {
  readonly #bytes: Buffer;
  #at: number;
  /** Unread bits of the byte before `#at`, as a number. */
  #held = 0;
  #heldBits = 0;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Position of the next whole byte. */
  get position(): number {
    return this.#at;
  }

  /** @param count 0 to 32. */
  unsigned(count: number): number {
    let value = 0;
    let missing = count;
    while (missing > 0) {
      if (this.#heldBits === 0) this.#hold();
      const taken = Math.min(missing, this.#heldBits);
      this.#heldBits -= taken;
      value = value * 2 ** taken + (this.#held >> this.#heldBits);
      this.#held &= (1 << this.#heldBits) - 1;
      missing -= taken;
    }
    return value;
  }

  /** Reads a number in two's complement. */
  signed(count: number): number {
    const value = this.unsigned(count);
    return count > 0 && value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** Reads zeros and the one after them; returns the number of zeros. */
  unary(): number {
    let zeros = 0;
    for (;;) {
      if (this.#heldBits === 0) this.#hold();
      const leading = Math.clz32(this.#held) - (32 - this.#heldBits);
      zeros += leading;
      this.#heldBits -= leading;
      if (this.#heldBits === 0) continue;
      this.#heldBits -= 1;
      this.#held &= (1 << this.#heldBits) - 1;
      return zeros;
    }
  }

  skipToByte(): void {
    this.#heldBits = 0;
    this.#held = 0;
  }

  #hold(): void {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError('the end of the bytes');
    this.#held = byte;
    this.#heldBits = 8;
    this.#at += 1;
  }
}

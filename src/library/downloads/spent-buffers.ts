/** A message to a port whose other end is closed is discarded, and with it the memory that was transferred. */
const { port1: nowhere, port2: otherEnd } = new MessageChannel();
otherEnd.close();

/**
 * Frees the buffers of a socket as soon as they are written. They lie outside of V8's heap, and V8 lets 32 MB of them
 * accumulate before it collects the unused ones. The bench guards it: "memory grown during a download".
 */
export class SpentBuffers {
  #last: ArrayBufferLike | undefined;

  /** @param pieces In order of arrival; their content can't be read afterwards. */
  free(pieces: readonly Uint8Array[]): void {
    const buffers = new Set(pieces.map(({ buffer }) => buffer));
    if (this.#last !== undefined) buffers.add(this.#last);
    this.#last = pieces.at(-1)?.buffer;
    // It may contain the beginning of the next piece.
    if (this.#last !== undefined) buffers.delete(this.#last);
    try {
      nowhere.postMessage(null, [...buffers].filter(isTransferable));
    } catch {
      // Node shares the pooled buffer among many; the garbage collector frees it.
    }
  }
}

function isTransferable(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer;
}

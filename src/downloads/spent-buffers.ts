/** What is sent to a port whose other end is closed is gone, with the memory that was handed over along with it. */
const { port1: nowhere, port2: otherEnd } = new MessageChannel();
otherEnd.close();

/**
 * Frees what a socket brought as soon as it is written. These buffers lie outside of V8's heap, and V8 by itself
 * lets 32 MB of them gather before it looks for those that nobody uses.
 */
export class SpentBuffers {
  #last: ArrayBufferLike | undefined;

  /** @param pieces In the order in which they came; their content is gone afterwards. */
  free(pieces: readonly Uint8Array[]): void {
    const buffers = new Set(pieces.map(({ buffer }) => buffer));
    if (this.#last !== undefined) buffers.add(this.#last);
    this.#last = pieces.at(-1)?.buffer;
    // It may hold the beginning of what comes next.
    if (this.#last !== undefined) buffers.delete(this.#last);
    try {
      nowhere.postMessage(null, [...buffers].filter(isTransferable));
    } catch {
      // A buffer that Node shares among many: it stays with the garbage collector.
    }
  }
}

function isTransferable(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer;
}

/** Node discards messages to a port whose other end is closed, and frees the memory transferred with them. */
const { port1: nowhere, port2: otherEnd } = new MessageChannel();
otherEnd.close();

/**
 * Frees the buffers of a socket as soon as they are written. They are outside of V8's heap, and V8 lets 32 MB of them
 * accumulate before it collects the unused ones. The benchmark "memory grown during a download" covers it.
 */
export class SpentBuffers {
  #last: ArrayBufferLike | undefined;

  /** @param pieces In order of arrival; their content can't be read afterwards. */
  free(pieces: readonly Uint8Array[]): void {
    const buffers = new Set(pieces.map(({ buffer }) => buffer));
    if (this.#last !== undefined) buffers.add(this.#last);
    this.#last = pieces.at(-1)?.buffer;
    // This buffer may contain the beginning of the next piece.
    if (this.#last !== undefined) buffers.delete(this.#last);
    try {
      nowhere.postMessage(null, [...buffers].filter(isTransferable));
    } catch {
      // Small buffers share a pool of Node's, which is left to the garbage collector.
    }
  }
}

function isTransferable(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer;
}

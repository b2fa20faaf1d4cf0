import { getHeapStatistics } from 'node:v8';
import { inflateSync } from 'node:zlib';

/** Arrays below this size are not checked. */
const minCheckedBytes = 65_536;

const names = [
  'ArrayBuffer',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int8Array',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
] as const;

/**
 * Limits the memory of this thread that the limit of its heap does not include: typed arrays and the streams that
 * unpack data.
 *
 * @param onExcess Called instead of allocating memory beyond the limit. It must end the thread, since a library may
 * catch an error and try again.
 */
export function limitMemory(maxBytes: number, onExcess: () => never): void {
  for (const name of names) {
    const elementBytes = name === 'ArrayBuffer' ? 1 : globalThis[name].BYTES_PER_ELEMENT;
    const limited: object = new Proxy(globalThis[name], {
      construct(type, args: readonly unknown[], newType) {
        const bytes = elementBytes * lengthOf(args[0]);
        if (bytes >= minCheckedBytes && getHeapStatistics().external_memory + bytes > maxBytes)
          onExcess();
        return Reflect.construct(type, args, newType) as object;
      },
    });
    Object.assign(globalThis, { [name]: limited });
  }
  Object.assign(globalThis, { DecompressionStream: limitedUnpacker(maxBytes / 2, onExcess) });
}

/** A `DecompressionStream` for zlib's format that yields everything at the end. */
function limitedUnpacker(maxOutputLength: number, onExcess: () => never): unknown {
  return class extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: string) {
      if (format !== 'deflate') throw new TypeError(`No decoder for ${format}`);
      const pieces: Uint8Array[] = [];
      super({
        transform: (piece) => void pieces.push(piece),
        flush: (controller) => {
          try {
            controller.enqueue(inflateSync(Buffer.concat(pieces), { maxOutputLength }));
          } catch (error) {
            if (error instanceof RangeError) onExcess();
            throw error;
          }
        },
      });
    }
  };
}

/** Number of elements that a constructor's argument allocates; 0 for a view of a buffer. */
function lengthOf(argument: unknown): number {
  if (typeof argument === 'number') return argument;
  return Array.isArray(argument) || ArrayBuffer.isView(argument)
    ? (argument as { readonly length: number }).length
    : 0;
}

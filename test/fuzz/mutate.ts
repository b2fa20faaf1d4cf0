type Random = () => number;

const numbers = [
  0n,
  1n,
  0x7fn,
  0xffn,
  0x7fff_ffffn,
  0xffff_ffffn,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const texts = ['null', '-1', '1e400', '{}', '[[[[', '\\u0000', '\\ud800', '"', '__proto__', '\n\n'];
const maxBytes = 256 * 1024;

/** Mutates an input, using pieces of another input and keywords of the format. */
export function mutate(
  input: Buffer,
  { other, words, random }: { other: Buffer; words: readonly string[]; random: Random },
): Buffer {
  let result = Buffer.from(input);
  const below = (end: number): number => Math.floor(random() * end);
  const pick = <Item>(items: readonly Item[], fallback: Item): Item =>
    items[below(items.length)] ?? fallback;
  const place = (): number => below(result.length + 1);
  const insert = (at: number, bytes: Buffer, replaced = 0): void => {
    result = Buffer.concat([result.subarray(0, at), bytes, result.subarray(at + replaced)]);
  };
  const piece = (from: Buffer): Buffer => {
    const start = below(from.length);
    return from.subarray(start, start + 1 + below(random() < 0.5 ? 16 : 1024));
  };
  const changes: readonly (() => void)[] = [
    () => {
      if (result.length === 0) return;
      const at = below(result.length);
      result.writeUInt8(result.readUInt8(at) ^ (1 << below(8)), at);
    },
    () => {
      if (result.length > 0) result.writeUInt8(below(256), below(result.length));
    },
    () => {
      if (result.length < 8) return;
      const value = pick(numbers, 0n);
      const at = below(result.length - 7);
      if (random() < 0.5) result.writeBigUInt64LE(value, at);
      else result.writeUInt32LE(Number(BigInt.asUintN(32, value)), at);
    },
    () => insert(place(), Buffer.from(pick(texts, ''))),
    () => insert(place(), Buffer.from(pick(words, ''))),
    () => insert(place(), Buffer.alloc(0), 1 + below(64)),
    () => insert(place(), piece(result)),
    () => insert(place(), piece(other), below(32)),
    () => insert(place(), Buffer.from(Array.from({ length: 1 + below(8) }, () => below(256)))),
    // Replaces a JSON value with another one.
    () => {
      const starts = [...result.toString('latin1').matchAll(/[:,[]\s*("[^"]*"|[\w.+-]+)/g)];
      const found = starts[below(starts.length)];
      if (found?.[1] === undefined) return;
      const at = found.index + found[0].length - found[1].length;
      const quoted = words.map((word) => JSON.stringify(word));
      insert(at, Buffer.from(pick([...texts, ...quoted], 'null')), found[1].length);
    },
    () => {
      result = Buffer.from(result.subarray(0, place()));
    },
  ];
  for (let count = 1 + below(4); count > 0; count -= 1) pick(changes, () => {})();
  return result.subarray(0, maxBytes);
}

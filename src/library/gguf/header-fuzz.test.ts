import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import { parseGgufHeader, readGgufHeader, type GgufHeader } from './header.ts';
import { ggufLimits } from './window-reader.ts';
import { seededRandom } from '../../../test/setup/seeded-random.ts';

const signal = new AbortController().signal;
const starter = 'models/starter/starter-chat/starter-chat-q8_0.gguf';
const casesPerMutation = 1500;
const hugeCounts = [
  0n,
  1n,
  0xffn,
  0xffffn,
  0x7fffffffn,
  0xffffffffn,
  2n ** 40n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];

type Random = (below: number) => number;

const mutations: Readonly<Record<string, (header: Buffer, random: Random) => Buffer>> = {
  'bits turned over': (header, random) => {
    const mutated = Buffer.from(header);
    for (let flips = 1 + random(8); flips > 0; flips -= 1) {
      const place = random(mutated.length);
      mutated.writeUInt8(mutated.readUInt8(place) ^ (1 << random(8)), place);
    }
    return mutated;
  },
  'lengths and counts replaced': (header, random) => {
    const mutated = Buffer.from(header);
    for (let writes = 1 + random(3); writes > 0; writes -= 1)
      mutated.writeBigUInt64LE(
        hugeCounts[random(hugeCounts.length)] ?? 0n,
        lengthPlace(header, random),
      );
    return mutated;
  },
  'bytes cut off': (header, random) => header.subarray(0, random(header.length)),
  'bytes put in': (header, random) => {
    const place = random(header.length);
    const inserted = Buffer.from(Array.from({ length: 1 + random(64) }, () => random(256)));
    return Buffer.concat([header.subarray(0, place), inserted, header.subarray(place)]);
  },
  'a piece repeated elsewhere': (header, random) => {
    const start = random(header.length);
    const piece = header.subarray(start, start + random(2048));
    const mutated = Buffer.from(header);
    piece.copy(mutated, random(header.length));
    return mutated;
  },
  noise: (header, random) => {
    const mutated = Buffer.from(Array.from({ length: 4096 }, () => random(256)));
    header.copy(mutated, 0, 0, random(64));
    return mutated;
  },
};

/** Position of a count at the start, or of the length of a key or value near a random one. */
function lengthPlace(header: Buffer, random: Random): number {
  if (random(4) === 0) return 8 + 8 * random(2);
  const key = header.indexOf('general.', random(1000));
  return Math.max(0, Math.min(header.length - 8, key - 8 + random(64)));
}

describe('parseGgufHeader on mutated headers', () => {
  let header = Buffer.alloc(0);
  let fileBytes = 0;

  beforeAll(async () => {
    const file = await readFile(starter);
    fileBytes = file.length;
    header = file.subarray(0, (await readGgufHeader(starter, signal)).dataOffset);
  });

  test.each(Object.entries(mutations))(
    '%s: a header or a HearthError',
    async (_name, mutate) => {
      const next = seededRandom(7);
      const random: Random = (below) => Math.floor(next() * below);
      let refused = 0;
      for (let index = 0; index < casesPerMutation; index += 1) {
        const mutated = mutate(header, random);
        const sizeBytes = random(2) === 0 ? mutated.length : fileBytes;
        const outcome = await attempt(mutated, sizeBytes);
        if (outcome instanceof HearthError) refused += 1;
        expect(outcome instanceof HearthError ? outcome.code : 'read').toMatch(
          /^(corrupt_file|read)$/,
        );
      }
      expect(refused).toBeGreaterThan(0);
    },
    60_000,
  );

  /** Parses a header and checks the limits on kept, buffered and read bytes. */
  async function attempt(mutated: Buffer, sizeBytes: number): Promise<GgufHeader | HearthError> {
    const buffers = new Set<ArrayBufferLike>();
    let maxRead = 0;
    let readBytes = 0;
    const outcome = await parseGgufHeader(
      {
        name: 'mutated.gguf',
        sizeBytes,
        read: async (target, position) => {
          buffers.add(target.buffer);
          maxRead = Math.max(maxRead, target.byteLength);
          target.fill(0);
          mutated.subarray(position).copy(target);
          const count = Math.min(target.byteLength, sizeBytes - position);
          readBytes += count;
          return count;
        },
      },
      signal,
    ).catch((error: unknown) => error);
    // No byte is read twice, so that the file's size bounds the work.
    expect(readBytes).toBeLessThanOrEqual(sizeBytes);
    expect(buffers.size).toBeLessThanOrEqual(1);
    expect(maxRead).toBeLessThanOrEqual(ggufLimits.keptStringBytes);
    if (outcome instanceof HearthError) return outcome;
    if (!isHeader(outcome)) throw outcome;
    expect(keptCharacters(outcome)).toBeLessThan(2 * ggufLimits.keptBytes);
    return outcome;
  }
});

test('bounds the kept data of a header with many long values', async () => {
  const value = Buffer.alloc(200_000, 'v');
  const entries = Array.from({ length: 200 }, (_, index) => {
    const key = Buffer.from(`key.${index}`);
    return Buffer.concat([
      uint64(key.length),
      key,
      Buffer.from([8, 0, 0, 0]),
      uint64(value.length),
      value,
    ]);
  });
  const tensor = Buffer.concat([uint64(1), Buffer.from('t'), Buffer.alloc(4), Buffer.alloc(12)]);
  const file = Buffer.concat([
    Buffer.from('GGUF\x03\0\0\0'),
    uint64(1),
    uint64(entries.length),
    ...entries,
    tensor,
    Buffer.alloc(64),
  ]);
  const header = await parseGgufHeader(
    {
      name: 'long.gguf',
      sizeBytes: file.length,
      read: async (target, position) => file.copy(target, 0, position),
    },
    signal,
  );
  expect(header.metadata.values.size).toBe(11);
  expect(keptCharacters(header)).toBeLessThan(ggufLimits.keptBytes + ggufLimits.keptStringBytes);
});

function isHeader(outcome: unknown): outcome is GgufHeader {
  return typeof outcome === 'object' && outcome !== null && 'metadata' in outcome;
}

function keptCharacters({ metadata }: GgufHeader): number {
  return JSON.stringify([...metadata.values, ...metadata.arrayLengths]).length;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

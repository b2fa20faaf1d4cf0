/** Samples of a frame, the most that a FLAC file can have. */
const blockSize = 65_536;

/**
 * A FLAC file (RFC 9639) of one channel whose frames are one sample that repeats, so that a few bytes are many samples.
 */
export function constantFlac(sampleRate: number, frames: number): Buffer {
  const head = Buffer.alloc(42);
  head.write('fLaC', 'latin1');
  // The only block of metadata, with the stream information.
  head.writeUInt32BE(0x8000_0022, 4);
  head.writeUInt16BE(blockSize - 1, 8);
  head.writeUInt16BE(blockSize - 1, 10);
  // 20 bits of the rate, 3 of the channels, 5 of the bits in a sample, 36 of the samples in all.
  head.writeUIntBE(sampleRate * 2 ** 4, 18, 3);
  head.writeUInt8(15 * 2 ** 4, 21);
  // Block size in two bytes, rate and bits of the stream; a constant of 16 bits; checksums, which readers ignore.
  const frame = Buffer.from('fff8700000ffff000000050000', 'hex');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame)]);
}

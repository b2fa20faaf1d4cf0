/** Samples per frame; the maximum of a FLAC file. */
const blockSize = 65_536;

/** A FLAC file (RFC 9639) with one channel. Each frame is one sample that repeats, so a few bytes become many samples. */
export function constantFlac(sampleRate: number, frames: number): Buffer {
  const head = Buffer.alloc(42);
  head.write('fLaC', 'latin1');
  // The last and only metadata block, with the stream information.
  head.writeUInt32BE(0x8000_0022, 4);
  head.writeUInt16BE(blockSize - 1, 8);
  head.writeUInt16BE(blockSize - 1, 10);
  // 20 bits for the rate, 3 for the channels, 5 for the bits per sample, 36 for the number of samples.
  head.writeUIntBE(sampleRate * 2 ** 4, 18, 3);
  head.writeUInt8(15 * 2 ** 4, 21);
  // The frame has the block size in two bytes, the stream's rate and bits, a constant of 16 bits, and checksums, which
  // readers ignore.
  const frame = Buffer.from('fff8700000ffff000000050000', 'hex');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame)]);
}

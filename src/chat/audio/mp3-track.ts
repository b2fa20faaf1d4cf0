import { AudioError, tooLong, type AudioTrack } from './audio.ts';
import { BitReader } from './bit-reader.ts';

interface Frame {
  readonly start: number;
  readonly length: number;
  readonly samples: number;
  readonly rate: number;
  readonly isMono: boolean;
  readonly isVersion1: boolean;
}

/** Kilobits per second by bitrate index: first for version 1, then for versions 2 and 2.5. */
const bitrates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const rates = [44_100, 48_000, 32_000];
/** By the two version bits; 1 is reserved. */
const rateDivisors = [4, 0, 2, 1];
const headerBytes = 4;
/** Maximum length of the tags and pictures that are skipped at the beginning. */
const maxSkippedBytes = 16 * 1024 * 1024;

/**
 * Finds the frames of an MP3 file (ISO 11172-3, layer III) without decoding them. `encode` writes only frames, without
 * tags or other data between them.
 *
 * @throws AudioError if there are no frames, or more seconds than allowed.
 */
export function mp3Track(bytes: Buffer, maxSeconds: number): AudioTrack {
  const frames = readFrames(bytes);
  const [first] = frames;
  if (first === undefined) throw new AudioError('has no frames of MP3');
  const blockSeconds = first.samples / first.rate;
  if (frames.length * blockSeconds > maxSeconds) throw tooLong(maxSeconds);
  return {
    mediaType: 'audio/mpeg',
    blockSeconds,
    loudness: Float32Array.from(frames, (frame) => gainOf(bytes, frame)),
    encode: (from, end) =>
      Buffer.concat(
        frames.slice(from, end).map(({ start, length }) => bytes.subarray(start, start + length)),
      ),
  };
}

/** All frames with the rate of the first frame, which is the first one that another frame follows. */
function readFrames(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  let skipped = 0;
  for (let at = skipTag(bytes); at + headerBytes <= bytes.length;) {
    const frame = frameAt(bytes, at);
    const [first] = frames;
    const isLike = frame?.rate === (first ?? frame)?.rate;
    const end = at + (frame?.length ?? 0);
    const isFrame =
      frame !== undefined &&
      isLike &&
      end <= bytes.length &&
      (first !== undefined || frameAt(bytes, end)?.rate === frame.rate);
    if (!isFrame) {
      at += 1;
      skipped += 1;
      if (skipped > maxSkippedBytes) break;
    } else {
      if (!isInformation(bytes, frame)) frames.push(frame);
      at = end;
    }
  }
  return frames;
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + headerBytes > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const isLayer3 = ((header >>> 17) & 3) === 1;
  const isVersion1 = version === 3;
  const bitrate = bitrates[isVersion1 ? 0 : 1][(header >>> 12) & 15];
  const fullRate = rates[(header >>> 10) & 3];
  const divisor = rateDivisors[version];
  if (header >>> 21 !== 0x7ff || !isLayer3 || !bitrate || !fullRate || !divisor) return undefined;
  const rate = fullRate / divisor;
  const samples = isVersion1 ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  const length = Math.floor((samples * bitrate * 125) / rate) + padding;
  const isMono = ((header >>> 6) & 3) === 3;
  return { start: at, length, samples, rate, isMono, isVersion1 };
}

/** Position after an ID3 tag at the beginning. The bytes of the tag's length have seven bits each. */
function skipTag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0;
  return bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0) + 10;
}

/** True if it is the information frame at the beginning, which has the length of the file and no sound. */
function isInformation(bytes: Buffer, frame: Frame): boolean {
  const start = frame.start + headerBytes + sideBytes(frame);
  return ['Xing', 'Info'].includes(bytes.toString('latin1', start, start + 4));
}

function sideBytes({ isVersion1, isMono }: Frame): number {
  if (isVersion1) return isMono ? 17 : 32;
  return isMono ? 9 : 17;
}

/** The gain of the first granule, which is close enough to the loudness to find pauses; 0 for silence. */
function gainOf(bytes: Buffer, { start, isVersion1, isMono }: Frame): number {
  const hasChecksum = ((bytes[start + 1] ?? 0) & 1) === 0;
  const reader = new BitReader(bytes, start + headerBytes + (hasChecksum ? 2 : 0));
  reader.unsigned(isVersion1 ? (isMono ? 18 : 20) : isMono ? 9 : 10);
  const isSilent = reader.unsigned(12) === 0;
  reader.unsigned(9);
  return isSilent ? 0 : reader.unsigned(8);
}

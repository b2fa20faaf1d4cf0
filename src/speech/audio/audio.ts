/** The rate at which encoders of speech read audio. */
export const sampleRate = 16_000;

/** Sound that was read from a file, in blocks of some milliseconds. */
export interface AudioTrack {
  readonly mediaType: 'audio/wav' | 'audio/mpeg';
  readonly blockSeconds: number;
  /** How loud each block is, on a scale of its own; as many as there are blocks. */
  readonly loudness: Float32Array;
  /** Blocks as a file, from the first up to the one before `end`. */
  encode(first: number, end: number): Buffer;
}

/** The file cannot be read; the message is a clause about "The audio". */
export class AudioError extends Error {}

export function tooLong(maxSeconds: number): AudioError {
  const limit =
    maxSeconds >= 120 ? `${Math.floor(maxSeconds / 60)} minutes` : `${Math.floor(maxSeconds)} s`;
  return new AudioError(`is longer than ${limit}`);
}

/** Formats that are read, as messages name them. */
export const audioFormats = 'wav, mp3 and flac';

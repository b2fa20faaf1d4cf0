/** The sampling rate of speech encoders. */
export const sampleRate = 16_000;

/** Audio from a file, divided into blocks of some milliseconds. */
export interface AudioTrack {
  readonly mediaType: 'audio/wav' | 'audio/mpeg';
  readonly blockSeconds: number;
  /** Loudness of each block; the values are only comparable within a track. */
  readonly loudness: Float32Array;
  /** Encodes blocks as a file, from `first` up to and excluding `end`. */
  encode(first: number, end: number): Buffer;
}

/** The file cannot be read; the message follows the words "The audio". */
export class AudioError extends Error {}

export function tooLong(maxSeconds: number): AudioError {
  const limit =
    maxSeconds >= 120 ? `${Math.floor(maxSeconds / 60)} minutes` : `${Math.floor(maxSeconds)} s`;
  return new AudioError(`is longer than ${limit}`);
}

/** Supported formats, for messages. */
export const audioFormats = 'wav, mp3 and flac';

import { AudioError, audioFormats, type AudioTrack } from './audio.ts';
import { readFlacSource } from './flac-source.ts';
import { mp3Track } from './mp3-track.ts';
import { pcmTrack } from './pcm-track.ts';
import { readWavSource } from './wav-source.ts';

/** Unsupported formats that users send, recognized by bytes at the beginning or after the first four. */
const otherFormats = [
  { name: 'Ogg', at: 0, bytes: 'OggS' },
  { name: 'WebM', at: 0, bytes: '\u001a\u0045\u00df\u00a3' },
  { name: 'MP4', at: 4, bytes: 'ftyp' },
  { name: 'AIFF', at: 0, bytes: 'FORM' },
] as const;

/**
 * Reads an audio file; its content determines the format.
 *
 * @throws AudioError.
 */
export function readAudio(bytes: Buffer, maxSeconds: number): AudioTrack {
  const track = readTrack(bytes, maxSeconds);
  if (track.loudness.length === 0) throw new AudioError('has no sound');
  return track;
}

function readTrack(bytes: Buffer, maxSeconds: number): AudioTrack {
  if (begins(bytes, 'RIFF')) return pcmTrack(readWavSource(bytes), maxSeconds);
  if (begins(bytes, 'fLaC')) return pcmTrack(readFlacSource(bytes), maxSeconds);
  if (begins(bytes, 'ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0))
    return mp3Track(bytes, maxSeconds);
  const other = otherFormats.find(({ at, bytes: start }) => begins(bytes.subarray(at), start));
  const found = other === undefined ? 'has no format that is known' : `is ${other.name}`;
  throw new AudioError(`${found}; ${audioFormats} are supported`);
}

function begins(bytes: Buffer, start: string): boolean {
  return bytes.toString('latin1', 0, start.length) === start;
}

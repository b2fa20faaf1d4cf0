import type { AudioTrack } from './audio.ts';

/** A piece ends at the quietest place in this last part of its maximum length. */
const searchedPart = 1 / 3;
/** Length of a pause between words. */
const pauseSeconds = 0.2;

/** Splits a track into files of at most this length, cut in pauses. */
export function splitTrack(track: AudioTrack, pieceSeconds: number): readonly Buffer[] {
  const { blockSeconds, loudness } = track;
  const longest = Math.max(1, Math.floor(pieceSeconds / blockSeconds));
  const pieces: Buffer[] = [];
  for (let first = 0; first < loudness.length;) {
    const latest = first + longest;
    const end =
      latest >= loudness.length
        ? loudness.length
        : quietest(track, latest - Math.floor(longest * searchedPart), latest);
    pieces.push(track.encode(first, end));
    first = end;
  }
  return pieces;
}

/** The middle of the quietest stretch of a pause's length; the latest if several are equal. */
function quietest({ blockSeconds, loudness }: AudioTrack, from: number, to: number): number {
  const half = Math.max(1, Math.round(pauseSeconds / blockSeconds / 2));
  let found = to;
  let least = Infinity;
  for (let at = from + half; at <= to - half; at += 1) {
    let sum = 0;
    for (let block = at - half; block < at + half; block += 1) sum += loudness[block] ?? 0;
    if (sum > least) continue;
    least = sum;
    found = at;
  }
  return found;
}

/** Entry point of the threads of `AudioReader`; reads one file. */
import { parentPort, workerData } from 'node:worker_threads';
import { AudioError } from './audio.ts';
import type { AudioReply, AudioRequest } from './audio-reader.ts';
import { readAudio } from './read-audio.ts';
import { splitTrack } from './split-track.ts';

const { bytes, maxSeconds, pieceSeconds } = workerData as AudioRequest;

function reply(): AudioReply {
  try {
    const track = readAudio(Buffer.from(bytes.buffer), maxSeconds);
    return {
      mediaType: track.mediaType,
      seconds: track.blockSeconds * track.loudness.length,
      pieces: splitTrack(track, pieceSeconds).map((piece) => new Uint8Array(piece)),
    };
  } catch (error) {
    if (error instanceof AudioError) return { message: error.message };
    throw error;
  }
}

const answer = reply();
const moved = 'pieces' in answer ? answer.pieces.map(({ buffer }) => buffer) : [];
parentPort?.postMessage(answer, moved);

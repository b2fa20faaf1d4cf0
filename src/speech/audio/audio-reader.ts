import {
  runLimitedThread,
  ThreadMemoryError,
  type ThreadLimits,
} from '../../kernel/concurrency/limited-thread.ts';
import { FairSemaphore } from '../../kernel/concurrency/fair-semaphore.ts';
import { TimeoutError } from '../../kernel/concurrency/with-timeout.ts';
import { HearthError } from '../../kernel/errors/errors.ts';

export interface AudioRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly maxSeconds: number;
  /** Longest piece; Infinity: one piece. */
  readonly pieceSeconds: number;
}

/** Sound as engines read it: WAV with one channel of 16,000 Hz, or frames of MP3 without tags. */
export interface Audio {
  readonly mediaType: 'audio/wav' | 'audio/mpeg';
  readonly seconds: number;
  /** Files that follow each other, cut in pauses. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * The audio, or the reason why it can't be read: the end of a message that begins with "The audio".
 */
export type AudioReply = Audio | { readonly message: string };

interface ReadOptions {
  /** Clients take turns. */
  readonly clientKey: string;
  readonly maxSeconds: number;
  readonly pieceSeconds?: number;
  readonly signal: AbortSignal;
  /** Domain path of the audio, for errors. */
  readonly field: string;
}

/** Files that are read at once, each in a thread. */
const maxThreads = 2;
/** Requests that wait for a thread, whose bytes are in memory. */
const maxWaiting = 14;
const memoryMb = 384;

/** A file of a few kilobytes can claim as many samples as may be heard: what may last longer has more time. */
function timeFor(maxSeconds: number): number {
  return 15_000 + 25 * maxSeconds;
}

/**
 * Reads files of sound in threads with a limit on memory and time, so that a hostile file harms nothing but its own
 * request.
 */
export class AudioReader {
  readonly #script: string;
  readonly #limits: Partial<ThreadLimits>;
  readonly #threads = new FairSemaphore({ permits: maxThreads, maxWaiting, toFullError });

  /** @param script The bundled `audio-thread.js`. */
  constructor(script: string, limits: Partial<ThreadLimits> = {}) {
    this.#script = script;
    this.#limits = limits;
  }

  /**
   * @param content Is copied when a thread is free.
   * @throws HearthError `invalid_audio`; `queue_full`; the signal's reason.
   */
  async read(content: Uint8Array, options: ReadOptions): Promise<Audio> {
    const { clientKey, maxSeconds, pieceSeconds = Infinity, signal, field } = options;
    const read = () => {
      const request = { bytes: new Uint8Array(content), maxSeconds, pieceSeconds };
      return this.#readInThread(request, field, signal);
    };
    return this.#threads.run(clientKey, read, signal);
  }

  async #readInThread(request: AudioRequest, field: string, signal: AbortSignal): Promise<Audio> {
    const limits = { timeoutMs: timeFor(request.maxSeconds), memoryMb, ...this.#limits };
    try {
      const reply = await runLimitedThread<AudioReply>(this.#script, request, limits, signal);
      if ('pieces' in reply) return reply;
      throw invalidAudio(reply.message, field);
    } catch (error) {
      if (error instanceof TimeoutError)
        throw invalidAudio(`takes more than ${limits.timeoutMs / 1000} s to read`, field);
      if (!(error instanceof ThreadMemoryError)) throw error;
      throw invalidAudio(`needs more than ${limits.memoryMb} MB of memory`, field);
    }
  }
}

function toFullError(): HearthError {
  return new HearthError('queue_full', 'Too much audio is being read. Try again soon.', {
    retryAfterSeconds: 1,
  });
}

function invalidAudio(reason: string, field: string): HearthError {
  return new HearthError('invalid_audio', `The audio ${reason}.`, { field });
}

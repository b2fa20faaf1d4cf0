import {
  runLimitedThread,
  ThreadMemoryError,
  type ThreadLimits,
} from '../../kernel/concurrency/limited-thread.ts';
import { Semaphore } from '../../kernel/concurrency/semaphore.ts';
import { TimeoutError } from '../../kernel/concurrency/with-timeout.ts';
import { HearthError } from '../../kernel/errors/errors.ts';

export interface AudioRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly maxSeconds: number;
  /** Maximum length of a piece; Infinity for a single piece. */
  readonly pieceSeconds: number;
}

/** Audio in a format that engines read: WAV with one channel of 16,000 Hz, or frames of MP3 without tags. */
export interface Audio {
  readonly mediaType: 'audio/wav' | 'audio/mpeg';
  readonly seconds: number;
  /** Successive parts of the audio, cut in pauses; each is a file. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** The audio, or the reason why it can't be read, worded to follow "The audio". */
export type AudioReply = Audio | { readonly message: string };

interface ReadOptions {
  /** Clients take turns. */
  readonly clientKey: string;
  readonly maxSeconds: number;
  readonly pieceSeconds?: number;
  readonly signal: AbortSignal;
  /** Domain path of the audio, for error messages. */
  readonly field: string;
}

/** Files that are read at the same time, each in a thread. */
const maxThreads = 2;
/** Maximum number of requests that wait for a thread; their bytes are in memory. */
const maxWaiting = 14;
const memoryMb = 384;

/**
 * Time limit for a file, which grows with the allowed duration: a file of a few kilobytes can claim as many samples as
 * are allowed.
 */
function timeFor(maxSeconds: number): number {
  return 15_000 + 25 * maxSeconds;
}

/** Reads audio files in threads with limited memory and time, so that a hostile file affects only its own request. */
export class AudioReader {
  readonly #script: string;
  readonly #limits: Partial<ThreadLimits>;
  readonly #threads = new Semaphore(maxThreads, { maxWaiting, toFullError });

  /** @param script The bundled `audio-thread.js`. */
  constructor(script: string, limits: Partial<ThreadLimits> = {}) {
    this.#script = script;
    this.#limits = limits;
  }

  /**
   * @param content Copied when a thread is free.
   * @throws HearthError `invalid_audio`; `queue_full`; the signal's reason.
   */
  async read(content: Uint8Array, options: ReadOptions): Promise<Audio> {
    const { clientKey, maxSeconds, pieceSeconds = Infinity, signal, field } = options;
    const read = () => {
      const request = { bytes: new Uint8Array(content), maxSeconds, pieceSeconds };
      return this.#readInThread(request, field, signal);
    };
    return this.#threads.run(read, signal, clientKey);
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

import { HearthError } from '../../kernel/errors/errors.ts';

/** Counts bytes that a transcription holds in memory. */
interface HeldAudio {
  /** @throws HearthError `queue_full`. */
  readonly hold: (bytes: number) => void;
  readonly release: () => void;
}

/** Counts the audio in memory. One client can hold at most half of the maximum, so that there is room for others. */
export class AudioMemory {
  readonly #maxBytes: number;
  /** Bytes by client. */
  readonly #held = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  open(clientKey: string): HeldAudio {
    let own = 0;
    return {
      hold: (bytes) => {
        const ofClient = (this.#held.get(clientKey) ?? 0) + bytes;
        const ofAll = [...this.#held.values()].reduce((sum, each) => sum + each, bytes);
        if (ofClient > this.#maxBytes / 2 || ofAll > this.#maxBytes) {
          throw new HearthError(
            'queue_full',
            'The server already holds the maximum of audio. Try again when other transcriptions have ended.',
          );
        }
        this.#held.set(clientKey, ofClient);
        own += bytes;
      },
      release: () => {
        const left = (this.#held.get(clientKey) ?? 0) - own;
        if (left > 0) this.#held.set(clientKey, left);
        else this.#held.delete(clientKey);
        own = 0;
      },
    };
  }
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const collectAboveBytes = 8 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' }) => void;

/**
 * Keeps what was received, and is written, from piling up: the buffers of a socket lie outside V8's heap, and V8
 * by itself lets 32 MB of them gather before it frees those that nobody uses.
 */
export class YoungGarbage {
  readonly #collect = exposedCollector();
  #bytes = 0;

  /** Tells of bytes whose buffers are not used any more. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < collectAboveBytes) return;
    this.#bytes = 0;
    this.#collect({ type: 'minor' });
  }
}

function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

import type { CompletionChunk } from './stream-chunk.ts';
import { StreamDecoder } from './stream-decoder.ts';

/** Reads the stream of `/completion` and `/infill`. */
export class CompletionDecoder extends StreamDecoder<CompletionChunk> {
  protected override acceptChunk(chunk: CompletionChunk): void {
    if (chunk.content) {
      this.acceptText('content.delta', chunk.content, chunk.completion_probabilities);
    }
    if (chunk.stop === true) this.acceptStop(chunk);
    if (chunk.prompt_progress !== undefined) this.acceptProgress(chunk.prompt_progress);
    if (chunk.timings !== undefined) this.acceptTimings(chunk.timings);
    if (chunk.error !== undefined) this.acceptError(chunk.error);
  }
}

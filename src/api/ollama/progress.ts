import type { RequestContext } from '../../kernel/request/request-context.ts';
import { lineStream } from '../kit/stream/ndjson.ts';
import { openStream } from '../kit/stream/open-stream.ts';
import { toErrorLines } from './answer.ts';
import type { OllamaProgress } from './models-schema.ts';

/** A step of an operation that a client watches. */
export interface ProgressEvent {
  readonly type: 'progress';
  readonly line: OllamaProgress;
}

export function progress(line: OllamaProgress): ProgressEvent {
  return { type: 'progress', line };
}

/** Streams the steps as lines of JSON, or responds with the last step. */
export async function answerProgress(
  events: AsyncGenerator<ProgressEvent>,
  isStreamed: boolean,
  context: RequestContext,
): Promise<Response | OllamaProgress> {
  if (isStreamed) {
    const write = ({ line }: ProgressEvent): readonly object[] => [line];
    return lineStream(await openStream(events, { write, fail: toErrorLines }, context), context);
  }
  let last: OllamaProgress = { status: 'success' };
  for await (const { line } of events) last = line;
  return last;
}

import type { AudioForm } from '../../engines/engine.ts';
import type { Engines } from '../../engines/engines.ts';
import type { ModelTarget } from '../../engines/loads/open-request.ts';
import { createChannel } from '../../kernel/concurrency/channel.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { logGeneration } from '../generation-stats.ts';

/** The server's unchanged answer: first its media type, then its bytes. */
export type ForwardEvent =
  | { readonly type: 'answer.head'; readonly contentType: string }
  | { readonly type: 'answer.piece'; readonly bytes: Buffer };

/** A form with audio, for the endpoint of its task. */
interface ForwardedForm {
  readonly task: 'transcribe' | 'translate';
  readonly file: AudioForm['file'];
  readonly fields: AudioForm['fields'];
}

const paths = { transcribe: 'transcriptions', translate: 'translations' } as const;
/** Maximum size of an answer. A transcript of two hours with a time for each word is much smaller. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** Maximum size of an answer to parse for its usage. */
const maxReadBytes = 4 * 1024 * 1024;

/**
 * Passes a form with audio on to a remote model's server, and the answer back.
 *
 * @throws HearthError `upstream_error`, `upstream_unavailable`, and the errors of a refused request; the signal's
 *   reason when aborted.
 */
export async function* forwardAudio(
  pool: Engines,
  target: ModelTarget,
  { task, file, fields }: ForwardedForm,
  context: RequestContext,
): AsyncGenerator<ForwardEvent> {
  const session = pool.open({ target }, context);
  const record = context.record.beginGeneration('transcription');
  const channel = createChannel<ForwardEvent>();
  try {
    for await (const _ of session.ready());
    const read: Buffer[] = [];
    let sizeBytes = 0;
    const passing = session
      .withPlace(async (engine, { signal }) => {
        const form = { path: paths[task], file, fields };
        const sent = await engine.sendAudio?.(form, { ...context, signal });
        if (sent === undefined) throw new Error('The engine takes no audio');
        const { contentType, pieces } = sent;
        channel.push({ type: 'answer.head', contentType });
        const isRead = contentType.startsWith('application/json');
        for await (const bytes of pieces) {
          sizeBytes += bytes.length;
          if (sizeBytes > maxAnswerBytes)
            throw new HearthError('upstream_error', 'The transcript is larger than 64 MiB.');
          if (isRead && sizeBytes <= maxReadBytes) read.push(bytes);
          channel.push({ type: 'answer.piece', bytes });
        }
      })
      .finally(() => channel.close());
    passing.catch(() => {});
    yield* channel;
    await passing;
    const usage = usageOf(Buffer.concat(read));
    record.end({ usage });
    logGeneration('transcription', { selection: session.lease.instance.selection, usage }, context);
  } finally {
    record.end({ hasFailed: true });
    session.close();
  }
}

/** Reads the token counts from an answer. Some servers report seconds instead, or nothing. */
function usageOf(answer: Buffer) {
  const usage: { input_tokens?: unknown; output_tokens?: unknown } = usageField(answer);
  return { promptTokens: count(usage.input_tokens), completionTokens: count(usage.output_tokens) };
}

function usageField(answer: Buffer): object {
  try {
    const body: unknown = JSON.parse(answer.toString());
    const usage = typeof body === 'object' && body !== null && 'usage' in body ? body.usage : null;
    return typeof usage === 'object' && usage !== null ? usage : {};
  } catch {
    return {};
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

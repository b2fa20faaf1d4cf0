import type { SendRequest } from '../../batches/batch-runner.ts';
import * as z from 'zod';
import { normalize, toFloats } from './vectors.ts';

/** The model is busy or temporarily unavailable. */
export class EmbeddingDelayed extends Error {
  override readonly name = 'EmbeddingDelayed';
}

/** The request failed, and trying again would not help; the message is the reason. */
export class EmbeddingRefused extends Error {
  override readonly name = 'EmbeddingRefused';
}

const answerSchema = z.object({ data: z.array(z.object({ embedding: z.string() })) });
const errorSchema = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

interface EmbedOptions {
  readonly send: SendRequest;
  readonly model: string;
  readonly ownerId: string | null;
  readonly signal: AbortSignal;
}

/**
 * Embeds passages as requests of their owner, with lower priority than all other requests. If a passage is too long for
 * the model, its vector is the mean of its halves' vectors.
 *
 * @throws EmbeddingDelayed; EmbeddingRefused; the signal's reason when aborted.
 */
export async function embedPassages(
  texts: readonly string[],
  options: EmbedOptions,
): Promise<readonly Float32Array[]> {
  const { send, model, ownerId, signal } = options;
  const { status, body } = await send({
    endpoint: '/v1/embeddings',
    body: { model, input: texts, encoding_format: 'base64' },
    ownerId,
    signal,
  });
  if (status === 200) {
    const { data } = answerSchema.parse(body);
    return data.map(({ embedding }) => normalize(toFloats(Buffer.from(embedding, 'base64'))));
  }
  signal.throwIfAborted();
  const { message, code } = errorSchema.parse(body).error;
  if (status === 429 || status === 503) throw new EmbeddingDelayed(message);
  const [first = ''] = texts;
  if (code !== 'context_length_exceeded' || (texts.length === 1 && first.length < 2))
    throw new EmbeddingRefused(message);
  const vectors: Float32Array[] = [];
  if (texts.length > 1) {
    for (const text of texts) vectors.push(...(await embedPassages([text], options)));
    return vectors;
  }
  const middle = Math.ceil(first.length / 2);
  for (const half of [first.slice(0, middle), first.slice(middle)]) {
    vectors.push(...(await embedPassages([half.toWellFormed()], options)));
  }
  const [left = new Float32Array(), right = left] = vectors;
  return [normalize(left.map((component, index) => component + (right[index] ?? 0)))];
}

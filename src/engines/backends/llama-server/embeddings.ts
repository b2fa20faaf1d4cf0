import * as z from 'zod';
import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import type { Embeddings, Prompt } from '../../engine.ts';
import { replyFailure } from './engine-failure.ts';

const embeddingsBody = z.object({
  usage: z.object({ prompt_tokens: z.number() }),
  data: z.array(z.object({ index: z.number(), embedding: z.string() })),
});

/**
 * Embeds texts through `/v1/embeddings`, whose vectors travel as base64 of 32-bit floats in the byte order of
 * the engine: a third of the size of JSON numbers, and faster to parse.
 *
 * @throws HearthError `context_length_exceeded`, `wrong_model_type`.
 */
export async function requestEmbeddings(
  connection: EngineConnection,
  inputs: readonly Prompt[],
  signal: AbortSignal,
  contextLength?: number,
): Promise<Embeddings> {
  const body = { input: inputs, encoding_format: 'base64' };
  const reply = await connection.postJson('/v1/embeddings', body, signal);
  if (reply.status !== 200) throw replyFailure(reply, contextLength);
  const parsed = embeddingsBody.safeParse(reply.body);
  if (!parsed.success || parsed.data.data.length !== inputs.length) {
    throw new HearthError('internal', 'The engine sent no embeddings.', { cause: parsed.error });
  }
  const ordered = parsed.data.data.toSorted((left, right) => left.index - right.index);
  return {
    vectors: ordered.map(({ embedding }) => decodeVector(embedding)),
    promptTokens: parsed.data.usage.prompt_tokens,
  };
}

function decodeVector(base64: string): readonly number[] {
  // Copied, since the bytes of a small buffer may begin anywhere.
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  return Array.from(new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4)));
}

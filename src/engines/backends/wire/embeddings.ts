import * as z from 'zod';
import type { Embeddings, Prompt } from '../../engine.ts';
import type { WireDialect } from './dialect.ts';
import { estimateTextTokens } from './token-estimate.ts';

const embeddingsBody = z.object({
  data: z.array(
    z.object({
      index: z.number().optional(),
      embedding: z.union([z.string(), z.array(z.number())]),
    }),
  ),
  usage: z.object({ prompt_tokens: z.number() }).nullish(),
});

/**
 * The body for `/embeddings`. In base64, vectors are 32-bit floats in the engine's byte order: a third of the size of
 * JSON numbers, and faster to parse.
 */
export function embeddingsRequest(
  inputs: readonly Prompt[],
  { embeddingFormat }: WireDialect,
  model?: string,
): object {
  return { model, input: inputs, encoding_format: embeddingFormat };
}

/** Reads the answer; undefined if a vector is missing. */
export function readEmbeddings(reply: unknown, inputs: readonly Prompt[]): Embeddings | undefined {
  const parsed = embeddingsBody.safeParse(reply);
  if (!parsed.success || parsed.data.data.length !== inputs.length) return undefined;
  const { data, usage } = parsed.data;
  const ordered = data
    .map(({ index, embedding }, position) => ({ index: index ?? position, embedding }))
    .toSorted((one, other) => one.index - other.index);
  return {
    vectors: ordered.map(({ embedding }) =>
      typeof embedding === 'string' ? decodeVector(embedding) : embedding,
    ),
    promptTokens: usage?.prompt_tokens ?? estimateInputs(inputs),
  };
}

function decodeVector(base64: string): readonly number[] {
  // Copied, since the bytes of a small buffer may not be aligned.
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  return Array.from(new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4)));
}

function estimateInputs(inputs: readonly Prompt[]): number {
  return inputs.reduce(
    (sum, input) => sum + (typeof input === 'string' ? estimateTextTokens(input) : input.length),
    0,
  );
}
